import { expect, test } from 'bun:test'
import { logoutCommand } from '../../../../interfaces/cli/commands/logout.ts'
import { runOnStore } from '../../../support/command-context.ts'
import { fakePorts, issueToken } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA, BERT } from '../../../support/stores/contract-purchases.ts'
import { authenticate } from '../../../support/token-readings.ts'

test.each([
  [false, 'Whoever was logged in as anna@example.com no longer is.'],
  [true, '{"email":"anna@example.com","loggedOut":true}'],
])('ends every token of the address, and nobody else’s: json %p', async (json, line) => {
  const ports = fakePorts()
  const [own, other] = [await issueToken(ports, ANNA), await issueToken(ports, BERT)]
  const { lines, print } = recordedOutput()
  expect(await runOnStore(logoutCommand, { ports, email: ANNA, json, print })).toBe(0)
  expect(lines).toEqual([line])
  await expect(authenticate(ports, own)).rejects.toThrow('invalid_token')
  expect(await authenticate(ports, other)).toBe(BERT)
  expect(await authenticate(ports, await issueToken(ports, ANNA))).toBe(ANNA)
})
