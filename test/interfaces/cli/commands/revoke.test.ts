import { expect, test } from 'bun:test'
import { checkPremium } from '../../../../application/access/check-premium.ts'
import { grantPremium } from '../../../../application/customers/grant-premium.ts'
import { revokeCommand } from '../../../../interfaces/cli/commands/revoke.ts'
import { runOnStore } from '../../../support/command-context.ts'
import { fakePorts, ORIGIN } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA, paidPurchase } from '../../../support/stores/contract-purchases.ts'

async function run(ports: ReturnType<typeof fakePorts>, json = false) {
  const { lines, print } = recordedOutput()
  const exitCode = await runOnStore(revokeCommand, { ports, email: ANNA, json, print })
  return { exitCode, lines }
}

/** Anna has premium twice: bought, and by an operator's word. */
async function openGranted() {
  const ports = fakePorts()
  await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))
  await grantPremium(ports, ANNA)
  return ports
}

test('revokes every grant and says how many', async () => {
  const ports = await openGranted()
  expect(await run(ports)).toEqual({
    exitCode: 0,
    lines: ['Revoked 2 grants of anna@example.com.'],
  })
  expect(await checkPremium(ports, ANNA)).toBe(false)
})

test('speaks of a single grant as of one', async () => {
  const ports = fakePorts()
  await grantPremium(ports, ANNA)
  expect((await run(ports)).lines).toEqual(['Revoked 1 grant of anna@example.com.'])
})

test('finding nothing to revoke is said, and is no failure', async () => {
  const nothing = { exitCode: 0, lines: ['anna@example.com has no grant that could be revoked.'] }
  expect(await run(fakePorts())).toEqual(nothing)

  const ports = await openGranted()
  await run(ports)
  expect(await run(ports)).toEqual(nothing)
})

test('says the same in JSON', async () => {
  const ports = await openGranted()
  const first = await run(ports, true)
  const second = await run(ports, true)
  expect([first.exitCode, second.exitCode]).toEqual([0, 0])
  expect([...first.lines, ...second.lines].map((line) => JSON.parse(line))).toEqual([
    { email: ANNA, revoked: 2 },
    { email: ANNA, revoked: 0 },
  ])
})
