import { describe, expect, test } from 'bun:test'
import { logOut } from '../../../../application/access/log-out.ts'
import { grantPremium } from '../../../../application/customers/grant-premium.ts'
import { settleSession } from '../../../../application/payments/settle-payment.ts'
import { erase } from '../../../../interfaces/cli/commands/erase.ts'
import { type FakePorts, openBuyer } from '../../../support/buyers.ts'
import { fakePorts, inState, ORIGIN } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA, openPurchase } from '../../../support/stores/contract-purchases.ts'

async function run(ports: FakePorts, { json = false, confirmed = true } = {}) {
  const { lines, errorLines, print, printError } = recordedOutput()
  const questions: string[] = []
  const exitCode = await erase({
    ports,
    email: ANNA,
    json,
    async confirm(question) {
      questions.push(question)
      return confirmed
    },
    print,
    printError,
  })
  return { exitCode, lines, errorLines, questions }
}

async function openPaid() {
  const buyer = await openBuyer()
  await settleSession(buyer.ports, buyer.move('paid'), 'webhook')
  return buyer
}

const PROVIDERS_LINE =
  'The payment provider, the mail provider, logs elsewhere and backups made before keep what they have.'
const FIRST_LINE =
  'Erased anna@example.com: its codes, verification and log-outs are deleted, its premium and its tokens have ended.'

describe('erase', () => {
  test('says what is gone, what is kept for the books under which name, and what it cannot reach', async () => {
    const { ports } = await openPaid()
    await grantPremium(ports, ANNA)
    const { exitCode, lines, errorLines } = await run(ports)
    expect({ exitCode, errorLines }).toEqual({ exitCode: 0, errorLines: [] })
    const [first, second = '', ...rest] = lines
    expect(first).toBe(FIRST_LINE)
    expect(second).toMatch(
      /^Kept for the books, as erased-\w+@alibi\.invalid instead: 1 purchase, 1 grant by hand, 1 message about payments, 4 audit entries\.$/,
    )
    expect(rest).toEqual([PROVIDERS_LINE])
  })

  test('says nothing of the books where they need nothing', async () => {
    const ports = fakePorts()
    await logOut(ports, ANNA)
    expect((await run(ports)).lines).toEqual([FIRST_LINE, PROVIDERS_LINE])
  })

  test('names what still waits for the operator', async () => {
    const ports = fakePorts()
    const purchase = { ...inState(openPurchase('pur_1'), 'review'), paymentIntentId: 'pi_1' }
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    expect((await run(ports)).lines.at(-1)).toBe(
      'Purchase pur_1 still waits for you: see "alibi purchases show pur_1".',
    )
  })

  test('of an unknown or an erased address reports that and is no failure', async () => {
    const { ports } = await openPaid()
    await run(ports)
    expect(await run(ports)).toMatchObject({
      exitCode: 0,
      lines: ['Nothing is stored about anna@example.com.'],
      errorLines: [],
    })
    expect((await run(ports, { json: true })).lines).toEqual([
      '{"email":"anna@example.com","outcome":"unknown"}',
    ])
  })

  test('asks first, and without a yes changes nothing and exits with 1', async () => {
    const { ports } = await openPaid()
    const before = await ports.personalData.find(ANNA)
    const { exitCode, lines, errorLines, questions } = await run(ports, { confirmed: false })
    expect({ exitCode, lines, errorLines }).toEqual({
      exitCode: 1,
      lines: [],
      errorLines: ['alibi: nothing was erased'],
    })
    expect(questions).toHaveLength(1)
    expect(questions[0]).toStartWith('Erase anna@example.com?')
    expect(await ports.personalData.find(ANNA)).toEqual(before)
  })

  test('in JSON says the same', async () => {
    const { ports } = await openPaid()
    const { exitCode, lines } = await run(ports, { json: true })
    expect(exitCode).toBe(0)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        email: ANNA,
        outcome: 'erased',
        name: expect.stringMatching(/^erased-\w+@alibi\.invalid$/),
        kept: {
          purchases: 1,
          operatorGrants: 0,
          refunds: 0,
          disputes: 0,
          messages: 1,
          auditEntries: 2,
          sandboxSessions: 0,
        },
        awaitReview: [],
      },
    ])
  })

  test.each([
    ['paid', false, 'paid_meanwhile', 'it was paid for just now'],
    ['processing', false, 'payment_processing', 'a payment is on its way'],
    ['open', true, 'provider_unavailable', 'the payment provider cannot be asked'],
  ] as const)(
    'of an address whose open page turns out %s (provider silent: %p) exits with 1 and says why',
    async (outcome, outage, reason, words) => {
      for (const json of [false, true]) {
        const { ports, move, purchaseId } = await openBuyer()
        move(outcome)
        ports.payments.outage = outage
        const { exitCode, lines, errorLines } = await run(ports, { json })
        expect(exitCode).toBe(1)
        const refused = { email: ANNA, outcome: 'refused', reason, purchase: purchaseId }
        expect(lines.map((line) => JSON.parse(line))).toEqual(json ? [refused] : [])
        expect(errorLines).toHaveLength(1)
        expect(errorLines[0]).toStartWith(`alibi: nothing was erased: ${words}`)
        expect(errorLines[0]).toEndWith(`(purchase ${purchaseId})`)
      }
    },
  )
})
