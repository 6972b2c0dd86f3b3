import { describe, expect, test } from 'bun:test'
import { eraseEmail } from '../../../../application/customers/erase-email.ts'
import { grantPremium } from '../../../../application/customers/grant-premium.ts'
import { Unavailable } from '../../../../application/unavailable.ts'
import type { PurchaseId } from '../../../../domain/order.ts'
import { beginAttempt, endMessage, type OutboxKey } from '../../../../domain/outbox.ts'
import { showPurchases } from '../../../../interfaces/cli/commands/purchases.ts'
import { showPurchase } from '../../../../interfaces/cli/commands/purchases-show.ts'
import { type FakePorts, openBuyer } from '../../../support/buyers.ts'
import { fakePorts, ORIGIN } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
} from '../../../support/stores/contract-purchases.ts'

async function list(ports: FakePorts, { review = false, json = false } = {}) {
  const { lines, print } = recordedOutput()
  const exitCode = await showPurchases({ ports, review, json, print })
  return { exitCode, lines }
}

async function show(ports: FakePorts, id: PurchaseId, { json = false } = {}) {
  const { lines, errorLines, print, printError } = recordedOutput()
  const exitCode = await showPurchase({ ports, id, json, print, printError })
  return { exitCode, lines, errorLines }
}

/** Five purchases, of which two had to be reviewed, and one of these has been refunded since. */
async function openShop() {
  const ports = fakePorts()
  const purchases = [
    paidPurchase('pur_01'),
    paidPurchase('pur_02', { isDuplicate: true, amountPaid: 300 }),
    openPurchase('pur_03', { email: BERT }),
    openPurchase('pur_04', {
      state: 'review',
      reviewReason: 'livemode',
      amountReceived: 500,
      paymentIntentId: 'pi_04',
    }),
    openPurchase('pur_05', {
      state: 'review',
      reviewReason: 'amount',
      amountReceived: 500,
      paymentIntentId: 'pi_05',
    }),
  ]
  for (const purchase of purchases) {
    await ports.purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
  }
  const refund = { id: 're_1', paymentIntentId: 'pi_05', amount: 500, state: 'succeeded' } as const
  await ports.refunds.update([refund], ORIGIN, () => refund)
  return ports
}

/** A buyer who paid 500 where 400 were asked for. */
async function openOdd() {
  const buyer = await openBuyer()
  buyer.ports.payments.sessions.set(buyer.sessionId, {
    ...buyer.move('paid'),
    amountSubtotal: 500,
    amountTotal: 500,
  })
  return buyer
}

describe('the list', () => {
  test('shows every purchase on a line with state, time, amount and address', async () => {
    const created = '2026-03-01T12:00:00.000Z'
    const id = (text: string) => text.padEnd(30)
    expect(await list(await openShop())).toEqual({
      exitCode: 0,
      lines: [
        `${id('ID')}  STATE                 CREATED                   AMOUNT           ADDRESS`,
        `${id('pur_01')}  paid                  ${created}  4.00 EUR         anna@example.com`,
        `${id('pur_02')}  paid, second payment  ${created}  3.00 EUR         anna@example.com`,
        `${id('pur_03')}  open                  ${created}  4.00 EUR         bert@example.com`,
        `${id('pur_04')}  review: livemode      ${created}  500 minor units  anna@example.com`,
        `${id('pur_05')}  review: amount        ${created}  5.00 EUR         anna@example.com`,
      ],
    })
  })

  test('shows those that wait for an operator, and not those that were refunded', async () => {
    const { exitCode, lines } = await list(await openShop(), { review: true })
    expect(exitCode).toBe(0)
    expect(lines.slice(1).map((line) => line.slice(0, 6))).toEqual(['pur_04'])
  })

  test('says so when it is empty', async () => {
    expect(await list(fakePorts())).toEqual({ exitCode: 0, lines: ['There are no purchases.'] })
    expect(await list(fakePorts(), { review: true })).toEqual({
      exitCode: 0,
      lines: ['No purchase waits for you.'],
    })
  })

  test('in JSON is an object on each line, and no line when it is empty', async () => {
    const { exitCode, lines } = await list(await openShop(), { json: true })
    expect(exitCode).toBe(0)
    expect(lines).toHaveLength(5)
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([
      'pur_01',
      'pur_02',
      'pur_03',
      'pur_04',
      'pur_05',
    ])
    expect(JSON.parse(lines[3]!)).toEqual({
      id: 'pur_04',
      email: ANNA,
      language: 'sv',
      price: { amount: 400, currency: 'eur' },
      leastAmount: null,
      live: false,
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-01T12:33:00.000Z',
      sessionId: null,
      paymentIntentId: 'pi_04',
      state: 'review',
      reviewReason: 'livemode',
      amountReceived: 500,
    })
    expect(await list(fakePorts(), { json: true })).toEqual({ exitCode: 0, lines: [] })
  })

  test.each([{ json: true }, { json: false }])(
    'is written while it is read, so that it may be longer than memory: %j',
    async ({ json }) => {
      const all = Array.from({ length: 450 }, (_, count) => paidPurchase(`pur_${1000 + count}`))
      const { lines, print } = recordedOutput()
      const writtenBefore: number[] = []
      const purchases: FakePorts['purchases'] = {
        ...fakePorts().purchases,
        async list({ after, limit }) {
          writtenBefore.push(lines.filter((line) => line.includes('pur_')).length)
          return all.filter(({ id }) => after === null || id > after).slice(0, limit)
        },
      }
      await showPurchases({ ports: { purchases }, review: false, json, print })
      expect(writtenBefore).toEqual([0, 200, 400])
      expect(lines).toHaveLength(json ? 450 : 451)
    },
  )
})

describe('a single purchase', () => {
  test('is read again and shown with all that belongs to it', async () => {
    const { ports, move, purchaseId, sessionId, paymentIntentId } = await openBuyer()
    move('paid')
    ports.payments.refunds.push({ id: 're_1', paymentIntentId, amount: 150, state: 'pending' })
    ports.payments.disputes.push({
      id: 'du_1',
      paymentIntentId,
      state: 'inquiry',
      reportedAt: ports.clock.now(),
    })
    const { exitCode, lines, errorLines } = await show(ports, purchaseId)
    expect({ exitCode, errorLines }).toEqual({ exitCode: 0, errorLines: [] })
    const noon = '2026-03-01T12:00:00.000Z'
    const source = sessionId.padEnd('cs_test_pur_000001'.length)
    expect(lines).toEqual([
      `Purchase ${purchaseId}:`,
      '  state      paid',
      '  paid       4.00 EUR',
      `  paid at    ${noon}`,
      '  asked for  4.00 EUR',
      '  address    anna@example.com',
      '  language   en',
      '  mode       test',
      `  created    ${noon}`,
      '  expires    2026-03-01T12:33:00.000Z',
      `  session    ${sessionId}`,
      `  payment    ${paymentIntentId}`,
      '  provider   read just now',
      '',
      'Grants:',
      '  ID          GIVEN        STATE',
      `  ${purchaseId}  by purchase  active`,
      '',
      'Refunds:',
      '  ID    AMOUNT    STATE    PURCHASE',
      `  re_1  1.50 EUR  pending  ${purchaseId}`,
      '',
      'Disputes:',
      '  ID    STATE    REPORTED                  PURCHASE',
      `  du_1  inquiry  ${noon}  ${purchaseId}`,
      '',
      'Messages:',
      '  KIND               ATTEMPTS  STATE',
      `  payment confirmed  0         waiting, due ${noon}`,
      '',
      'Audit trail:',
      `  WHEN                      WHO       WHAT             OBJECT      SOURCE              ACTIVE AFTER`,
      `  ${noon}  operator  paid             ${purchaseId}  ${source}  yes`,
      `  ${noon}  operator  refund pending   re_1        ${source}  yes`,
      `  ${noon}  operator  dispute inquiry  du_1        ${source}  yes`,
    ])
  })

  test('says what there is to do about money that was not asked for', async () => {
    const { ports, purchaseId } = await openOdd()
    const { exitCode, lines } = await show(ports, purchaseId)
    expect(exitCode).toBe(0)
    expect(lines).toEqual(
      expect.arrayContaining([
        '  state      review: amount',
        '  why        the amount is not what was asked for',
        '  received   5.00 EUR',
        '  asked for  4.00 EUR',
        'Grants: none',
        'Messages: none',
      ]),
    )
    expect(lines.slice(-2).join(' ')).toBe(
      'Money came that was not asked for, and it gave no access. Refund it at the payment provider, or ' +
        'give premium by "alibi grant anna@example.com". It waits for you until it is refunded.',
    )
  })

  test('says that it can only be refunded where its address was erased', async () => {
    const { ports, purchaseId } = await openOdd()
    await show(ports, purchaseId)
    expect(await eraseEmail(ports, ANNA)).toMatchObject({ awaitReview: [purchaseId] })
    const { exitCode, lines } = await show(ports, purchaseId)
    expect(exitCode).toBe(0)
    expect(lines.slice(-2).join(' ')).toBe(
      'Money came that was not asked for, and its address was erased. Refund it at the payment provider: ' +
        'it waits for you until then.',
    )
  })

  test('says nothing of the kind once it was refunded', async () => {
    const { ports, purchaseId, paymentIntentId } = await openOdd()
    ports.payments.refunds.push({ id: 're_1', paymentIntentId, amount: 500, state: 'succeeded' })
    const { lines } = await show(ports, purchaseId)
    expect(lines).toContain(`  re_1  5.00 EUR  succeeded  ${purchaseId}`)
    expect(lines.join('\n')).not.toContain('Refund it')
  })

  test('shows messages with their attempts, and what was given up', async () => {
    const { ports, move, purchaseId } = await openBuyer()
    move('paid')
    await show(ports, purchaseId)
    const key = `payment_confirmed:${purchaseId}` as OutboxKey
    const now = ports.clock.now()
    await ports.outbox.update(key, (message) =>
      endMessage(beginAttempt(message, now), 'given_up', now),
    )
    expect((await show(ports, purchaseId)).lines).toContain(
      '  payment confirmed  1         given up 2026-03-01T12:00:00.000Z: see to it yourself',
    )
  })

  test('is shown as it was known while the provider is out of reach, and exits 1', async () => {
    const { ports, move, purchaseId } = await openBuyer()
    move('paid')
    ports.payments.outage = true
    const { exitCode, lines, errorLines } = await show(ports, purchaseId)
    expect(exitCode).toBe(1)
    expect(lines).toContain('  state      open')
    expect(lines).toContain('  provider   out of reach: this is what was known before')
    expect(errorLines).toEqual(['alibi: the payment provider is out of reach'])
  })

  test('says which setting to look at while the provider refuses our key, and exits 1', async () => {
    const { ports, purchaseId } = await openBuyer()
    ports.payments.readSession = async () => {
      throw new Unavailable('payment', { cause: new Error('401'), setting: 'KEY' })
    }
    const { exitCode, lines, errorLines } = await show(ports, purchaseId)
    expect(exitCode).toBe(1)
    expect(lines).toContain('  provider   refuses our key: this is what was known before')
    expect(errorLines).toEqual([
      'alibi: the payment provider refuses our key: look at STRIPE_SECRET_KEY',
    ])
  })

  test('that the provider does not know is shown as such', async () => {
    const { ports, purchaseId, sessionId } = await openBuyer()
    ports.payments.sessions.delete(sessionId)
    const { exitCode, lines } = await show(ports, purchaseId)
    expect(exitCode).toBe(0)
    expect(lines).toContain(
      "  provider   does not know the session: the key may be another account's",
    )
  })

  test('without a session is shown as such', async () => {
    const ports = fakePorts()
    const purchase = openPurchase('pur_1')
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    const { exitCode, lines } = await show(ports, purchase.id)
    expect(exitCode).toBe(0)
    expect(lines).toEqual(
      expect.arrayContaining([
        '  session    -',
        '  payment    -',
        '  provider   not asked: it has never confirmed a session',
      ]),
    )
    expect(ports.payments.calls).toEqual([])
  })

  test.each([{ json: true }, { json: false }])(
    'that nobody knows exits 1 and prints nothing: %j',
    async (output) => {
      expect(await show(fakePorts(), 'pur_nobody' as PurchaseId, output)).toEqual({
        exitCode: 1,
        lines: [],
        errorLines: ['alibi: there is no purchase pur_nobody'],
      })
    },
  )

  test('in JSON is one document with everything', async () => {
    const { ports, move, purchaseId, sessionId } = await openBuyer()
    move('paid')
    await grantPremium(ports, ANNA)
    const { exitCode, lines } = await show(ports, purchaseId, { json: true })
    expect(exitCode).toBe(0)
    expect(lines).toHaveLength(1)
    const now = '2026-03-01T12:00:00.000Z'
    expect(JSON.parse(lines[0]!)).toEqual({
      purchase: expect.objectContaining({ id: purchaseId, state: 'paid', paidAt: now, sessionId }),
      grant: {
        id: purchaseId,
        email: ANNA,
        payment: { amountPaid: 400, refunds: [], disputes: [] },
        revokedAt: null,
        isActive: true,
      },
      refunds: [],
      disputes: [],
      awaitsReview: false,
      messages: [
        {
          key: `payment_confirmed:${purchaseId}`,
          kind: 'payment_confirmed',
          purchaseId,
          email: ANNA,
          language: 'en',
          amount: { amount: 400, currency: 'eur' },
          createdAt: now,
          attempts: 0,
          state: 'waiting',
          dueAt: now,
        },
      ],
      audit: [
        {
          at: now,
          by: 'operator',
          source: sessionId,
          grantId: purchaseId,
          email: ANNA,
          reason: 'paid',
          objectId: purchaseId,
          isActive: true,
        },
      ],
      provider: 'read',
    })
  })

  test('in JSON says that the provider is out of reach, too', async () => {
    const { ports, purchaseId } = await openBuyer()
    ports.payments.outage = true
    const { exitCode, lines, errorLines } = await show(ports, purchaseId, { json: true })
    expect(exitCode).toBe(1)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ provider: 'unavailable', grant: null, awaitsReview: false }),
    ])
    expect(errorLines).toHaveLength(1)
  })
})
