import { expect, test } from 'bun:test'
import { checkPremium } from '../../../../application/access/check-premium.ts'
import { grantCommand } from '../../../../interfaces/cli/commands/grant.ts'
import { runOnStore } from '../../../support/command-context.ts'
import { fakePorts, ORIGIN } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA, paidPurchase } from '../../../support/stores/contract-purchases.ts'

async function run(ports: ReturnType<typeof fakePorts>, json = false) {
  const { lines, print } = recordedOutput()
  const exitCode = await runOnStore(grantCommand, { ports, email: ANNA, json, print })
  return { exitCode, lines }
}

test('gives premium, says so and exits 0', async () => {
  const ports = fakePorts()
  expect(await run(ports)).toEqual({
    exitCode: 0,
    lines: ['anna@example.com has premium by your word until it is revoked.'],
  })
  expect(await checkPremium(ports, ANNA)).toBe(true)
})

test('gives none twice, says that it was there already and exits 0 all the same', async () => {
  const ports = fakePorts()
  await run(ports)
  expect(await run(ports)).toEqual({
    exitCode: 0,
    lines: ["anna@example.com has premium by an operator's word already; nothing was added."],
  })
  expect(await ports.premiumGrants.findByEmail(ANNA)).toHaveLength(1)
})

test('gives it beside a payment, since a payment can be taken back', async () => {
  const ports = fakePorts()
  await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))
  expect((await run(ports)).lines.join()).toContain('by your word')
  expect(await ports.premiumGrants.findByEmail(ANNA)).toHaveLength(2)
})

test('says the same in JSON', async () => {
  const ports = fakePorts()
  const first = await run(ports, true)
  const second = await run(ports, true)
  expect([first.exitCode, second.exitCode]).toEqual([0, 0])
  expect([...first.lines, ...second.lines].map((line) => JSON.parse(line))).toEqual([
    { email: ANNA, added: true },
    { email: ANNA, added: false },
  ])
})
