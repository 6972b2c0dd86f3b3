import { expect, test } from 'bun:test'
import { unlockCommand } from '../../../../interfaces/cli/commands/unlock.ts'
import { runOnStore } from '../../../support/command-context.ts'
import { fakePorts } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA } from '../../../support/stores/contract-purchases.ts'

test.each([
  [0, 0, false, 'No wrong code and no mail counts against anna@example.com.'],
  [1, 0, false, 'Forgot 1 wrong code and 0 mails of anna@example.com.'],
  [40, 20, false, 'Forgot 40 wrong codes and 20 mails of anna@example.com.'],
  [0, 1, false, 'Forgot 0 wrong codes and 1 mail of anna@example.com.'],
  [0, 0, true, '{"email":"anna@example.com","forgotten":0,"mails":0}'],
  [40, 3, true, '{"email":"anna@example.com","forgotten":40,"mails":3}'],
])('forgets %d wrong codes and %d mails, and says so: json %p', async (tried, sent, json, line) => {
  const ports = fakePorts()
  const counted = { at: ports.clock.now(), network: null }
  const wrongTries = Array.from({ length: tried }, () => counted)
  const mails = Array.from({ length: sent }, () => ({ ...counted, mailbox: null }))
  await ports.otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
    record: { ...record, mails, wrongTries },
  }))
  const { lines, print } = recordedOutput()
  expect(await runOnStore(unlockCommand, { ports, email: ANNA, json, print })).toBe(0)
  expect(lines).toEqual([line])
  expect(await ports.personalData.find(ANNA)).toMatchObject({ codeMails: [], wrongTries: [] })
})
