import { expect, test } from 'bun:test'
import { findLogOutLine } from '../../../application/access/find-log-out-line.ts'
import { logOut } from '../../../application/access/log-out.ts'
import type { EmailTrace } from '../../../domain/erasure.ts'
import { CAUSE, fakePorts, NOON } from '../../support/fakes.ts'
import { ANNA, BERT } from '../../support/stores/contract-purchases.ts'

test('an address that neither logged out nor was erased has no line', async () => {
  const ports = fakePorts()
  await logOut(ports, BERT)
  expect(await findLogOutLine(ports, ANNA)).toBeNull()
})

test('the line of an erasure is found under each of the keys that still count', async () => {
  const ports = fakePorts()
  const [today, before, forgotten] = ['today', 'before', 'forgotten'] as EmailTrace[]
  const lines = { [before!]: 2000, [forgotten!]: 3000 }
  for (const [trace, afterMs] of Object.entries(lines)) {
    const erasure = { name: ANNA, trace: trace as EmailTrace, cause: CAUSE }
    const lineAt = new Date(NOON.getTime() + afterMs)
    await ports.personalData.erase(BERT, erasure, () => ({ closed: [], lineAt }))
  }
  ports.secrets.tracesOf = () => [today!, before!]
  expect(await findLogOutLine(ports, ANNA)).toEqual(new Date(NOON.getTime() + 2000))

  ports.clock.advance(5000)
  await logOut(ports, ANNA)
  expect(await findLogOutLine(ports, ANNA)).toEqual(new Date(NOON.getTime() + 5001))
})
