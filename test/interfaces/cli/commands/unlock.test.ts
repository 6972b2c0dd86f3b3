import { expect, test } from 'bun:test'
import { unlock } from '../../../../interfaces/cli/commands/unlock.ts'
import { fakePorts } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA } from '../../../support/stores/contract-purchases.ts'

test.each([
  [0, false, 'No wrong code counts against anna@example.com.'],
  [1, false, 'Forgot 1 wrong code of anna@example.com.'],
  [40, false, 'Forgot 40 wrong codes of anna@example.com.'],
  [0, true, '{"email":"anna@example.com","forgotten":0}'],
  [40, true, '{"email":"anna@example.com","forgotten":40}'],
])('forgets %d wrong codes and says so: json %p', async (count, json, line) => {
  const ports = fakePorts()
  const now = ports.clock.now()
  const tries = Array.from({ length: count }, () => now)
  await ports.otps.update(ANNA, (record) => ({ record: { ...record, wrongTriesAt: tries } }))
  const { lines, print } = recordedOutput()
  expect(await unlock({ ports, email: ANNA, json, print })).toBe(0)
  expect(lines).toEqual([line])
  expect((await ports.personalData.find(ANNA)).wrongTriesAt).toEqual([])
})
