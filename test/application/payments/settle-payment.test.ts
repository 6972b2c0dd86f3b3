import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { settlePayment, settleSession } from '../../../application/payments/settle-payment.ts'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import type { PaymentEvent } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import type { DisputeState } from '../../../domain/dispute.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import type { RefundState } from '../../../domain/refund.ts'
import type { SessionReport } from '../../../domain/session-report.ts'
import { newVerification } from '../../../domain/verification.ts'
import { fakePorts, NOON, ORIGIN, saveVerification } from '../../support/fakes.ts'

const email = parseEmail('ada@example.com')
const event = { eventId: 'evt_1', eventType: 'some.event', occurredAt: null } as const

async function open({ allowPromotionCodes = false } = {}) {
  const ports = fakePorts()
  Object.assign(ports.rules, { allowPromotionCodes })
  await saveVerification(ports, newVerification(email, { lifetimeMs: MINUTE_MS, now: NOON }))
  const { sessionId } = await startCheckout(ports, { email, language: 'en' })
  const purchase = (await ports.purchases.findBySessionId(sessionId))!
  const paymentIntentId = `pi_${purchase.id}`
  const move = (outcome: SessionReport['outcome']) => ports.payments.move(sessionId, outcome)
  const notify = (notification: object) =>
    settlePayment(ports, { ...event, ...notification } as PaymentEvent, 'webhook')
  const reportSession = (report: SessionReport) => notify({ kind: 'session', report })
  const reportRefund = (state: RefundState, amount = 400, id = 're_1') =>
    notify({ kind: 'refund', refund: { id, paymentIntentId, amount, state } })
  const reportDispute = (state: DisputeState, minute = 0) =>
    notify({
      kind: 'dispute',
      dispute: {
        id: 'dp_1',
        paymentIntentId,
        state,
        reportedAt: new Date(NOON.getTime() + minute * MINUTE_MS),
      },
    })
  const premium = () => checkPremium(ports, email)
  const current = async () => (await ports.purchases.findById(purchase.id))!
  ports.payments.calls.length = 0
  ports.log.lines.length = 0
  return {
    ports,
    sessionId,
    purchase,
    paymentIntentId,
    move,
    notify,
    reportSession,
    reportRefund,
    reportDispute,
    premium,
    current,
  }
}

describe('a report about a session of ours', () => {
  test('that was paid gives premium, without the provider being asked for anything', async () => {
    const { ports, move, reportSession, premium, current } = await open()
    expect(await premium()).toBe(false)
    await reportSession(move('paid'))
    expect(await premium()).toBe(true)
    expect(await current()).toMatchObject({ state: 'paid', paidAt: NOON, amountPaid: 400 })
    expect(ports.payments.calls).toEqual([])
  })

  test('gives premium to the verified address, and to no other', async () => {
    const { ports, move, reportSession } = await open()
    await reportSession(move('paid'))
    expect(await checkPremium(ports, parseEmail('bob@example.com'))).toBe(false)
  })

  test('may come again and again: the first moment counts and nothing else changes', async () => {
    const { ports, move, reportSession, current } = await open()
    await reportSession(move('paid'))
    const paid = await current()
    const lines = ports.log.lines.length
    ports.clock.advance(1000)
    for (let count = 0; count < 5; count++) await reportSession(move('paid'))
    expect(await current()).toEqual(paid)
    expect(ports.log.lines).toHaveLength(lines)
  })

  test.each([
    ['processing', 'processing'],
    ['expired', 'closed'],
    ['failed', 'closed'],
    ['open', 'open'],
  ] as const)('that is %s gives no premium', async (outcome, state) => {
    const { move, reportSession, premium, current } = await open()
    await reportSession(move(outcome))
    expect((await current()).state).toBe(state)
    expect(await premium()).toBe(false)
  })

  test('that was paid late gives premium, and that bounced does not', async () => {
    const late = await open()
    await late.reportSession(late.move('processing'))
    await late.reportSession(late.move('paid'))
    expect(await late.premium()).toBe(true)

    const bounced = await open()
    await bounced.reportSession(bounced.move('processing'))
    await bounced.reportSession(bounced.move('failed'))
    expect(await bounced.premium()).toBe(false)
  })

  test('is recorded and logged when it is a second payment, and leaves the first grant alone', async () => {
    const { ports, sessionId, move, reportSession, premium, current } = await open()
    await reportSession(move('expired'))
    const second = await startCheckout(ports, { email, language: 'en' })
    await reportSession(ports.payments.move(second.sessionId, 'paid'))
    ports.log.lines.length = 0

    await reportSession({ ...move('expired'), outcome: 'paid' })
    expect((await current()).state).toBe('paid')
    expect(await ports.premiumGrants.findByEmail(email)).toHaveLength(2)
    expect(await premium()).toBe(true)
    expect(ports.log.lines).toMatchObject([
      { level: 'warn', fields: { session: sessionId, state: 'paid' } },
    ])
  })

  test('that expired after it was paid takes nothing away', async () => {
    const { move, reportSession, premium } = await open()
    await reportSession(move('paid'))
    await reportSession(move('expired'))
    expect(await premium()).toBe(true)
  })

  test('is adopted when a crash came before the session was on record', async () => {
    const { ports, purchase, move, reportSession, premium, current } = await open()
    await ports.purchases.update(email, ORIGIN, () => ({
      purchase: { ...purchase, sessionId: null },
    }))
    await reportSession(move('paid'))
    expect(await premium()).toBe(true)
    expect((await current()).sessionId).toBe(purchase.sessionId)
  })

  test('returns the purchase as it stands then, and whether its state changed', async () => {
    const { ports, move, current } = await open()
    const report = move('paid')
    const settled = await settleSession(ports, report, 'page')
    expect(settled).toEqual({ purchase: await current(), isStateChange: true })
    expect(settled?.purchase.state).toBe('paid')
    expect(await settleSession(ports, report, 'page')).toEqual({
      ...settled!,
      isStateChange: false,
    })
  })

  test('is applied once when many come at the same time', async () => {
    const { ports, move, reportSession } = await open()
    const report = move('paid')
    await Promise.all(Array.from({ length: 20 }, () => reportSession(report)))
    expect(ports.log.lines).toHaveLength(1)
    expect(await ports.premiumGrants.findByEmail(email)).toHaveLength(1)
  })
})

describe('a paid session that is not what was asked for', () => {
  test.each<[string, Partial<SessionReport>]>([
    ['amount', { amountTotal: 1, amountSubtotal: 1 }],
    ['currency', { currency: 'usd' }],
    ['livemode', { live: true }],
    ['mode', { singlePayment: false }],
    ['amount', { amountTotal: 0 }],
  ])(
    'in its %s gives no premium and raises an alarm that names no address',
    async (reason, own) => {
      const { ports, purchase, sessionId, move, reportSession, premium, current } = await open()
      await reportSession({ ...move('paid'), ...own })
      await reportSession({ ...move('paid'), ...own })
      expect(await premium()).toBe(false)
      expect((await current()).state).toBe('review')

      const alarms = ports.log.lines.filter(({ level }) => level === 'error')
      expect(alarms).toMatchObject([
        { fields: { purchase: purchase.id, session: sessionId, reason } },
      ])
      expect(JSON.stringify(ports.log.lines)).not.toContain('ada')
    },
  )

  test('gives premium all the same when it is a voucher and its page took promotion codes', async () => {
    const { move, notify, reportSession, premium } = await open({ allowPromotionCodes: true })
    await reportSession({ ...move('paid'), amountTotal: 0, amountDiscount: 400 })
    expect(await premium()).toBe(true)
    await notify({ kind: 'other' })
    expect(await premium()).toBe(true)
  })
})

describe('a report about another purchase', () => {
  test.each<[string, Partial<SessionReport>]>([
    ['names no purchase', { sessionId: 'cs_foreign', purchaseId: null }],
    ['names an unknown purchase', { sessionId: 'cs_foreign', purchaseId: 'pur_x' as PurchaseId }],
    ['is another session, though it names our purchase', { sessionId: 'cs_foreign' }],
  ])('changes nothing where it %s, and says so without an alarm', async (_, own) => {
    const { ports, purchase, move, reportSession, premium, current } = await open()
    await reportSession({ ...move('paid'), ...own })
    expect(await premium()).toBe(false)
    expect(await current()).toEqual(purchase)
    expect(ports.log.lines.map(({ level }) => level)).toEqual(['info'])
    expect(await settleSession(ports, { ...move('paid'), ...own }, 'webhook')).toBeNull()
  })

  test('or about nothing that Alibi acts on changes nothing', async () => {
    const { ports, purchase, notify, current } = await open()
    await notify({ kind: 'other' })
    expect(await current()).toEqual(purchase)
    expect(ports.log.lines).toEqual([])
    expect(ports.payments.calls).toEqual([])
  })
})

describe('a refund', () => {
  test('in full takes premium away, in part it does not', async () => {
    const { move, reportSession, reportRefund, premium } = await open()
    await reportSession(move('paid'))
    await reportRefund('succeeded', 399, 're_part')
    expect(await premium()).toBe(true)
    await reportRefund('pending', 1, 're_rest')
    expect(await premium()).toBe(false)
  })

  test('that bounces gives premium back, and stays bounced', async () => {
    const { move, reportSession, reportRefund, premium } = await open()
    await reportSession(move('paid'))
    await reportRefund('pending')
    expect(await premium()).toBe(false)
    await reportRefund('failed')
    expect(await premium()).toBe(true)
    await reportRefund('succeeded')
    expect(await premium()).toBe(true)
  })

  test('counts also when it is known before the payment', async () => {
    const { move, reportSession, reportRefund, premium } = await open()
    await reportRefund('succeeded')
    await reportSession(move('paid'))
    expect(await premium()).toBe(false)
  })

  test('that is only hinted at is looked up at the provider', async () => {
    const { ports, paymentIntentId, move, notify, reportSession, premium } = await open()
    await reportSession(move('paid'))
    ports.payments.refunds.push(
      { id: 're_1', paymentIntentId, amount: 150, state: 'succeeded' },
      { id: 're_2', paymentIntentId, amount: 250, state: 'pending' },
      { id: 're_3', paymentIntentId: 'pi_other', amount: 999, state: 'succeeded' },
    )
    await notify({ kind: 'refund_hint', paymentIntentId })
    expect(await premium()).toBe(false)
    await notify({ kind: 'refund_hint', paymentIntentId })
    expect(ports.payments.calls).toEqual(['listRefunds', 'listRefunds'])
  })

  test('that is only hinted at is an outage while the provider is out of reach, so that it comes again', async () => {
    const { ports, paymentIntentId, move, notify, reportSession, premium } = await open()
    await reportSession(move('paid'))
    ports.payments.outage = true
    await expect(notify({ kind: 'refund_hint', paymentIntentId })).rejects.toBeInstanceOf(
      Unavailable,
    )
    expect(await premium()).toBe(true)
  })

  test('of another service changes no purchase here', async () => {
    const { move, notify, reportSession, premium } = await open()
    await reportSession(move('paid'))
    const refund = { id: 're_9', paymentIntentId: 'pi_other', amount: 400, state: 'succeeded' }
    await notify({ kind: 'refund', refund })
    expect(await premium()).toBe(true)
  })
})

describe('a dispute', () => {
  test.each<[DisputeState[], boolean]>([
    [['inquiry'], true],
    [['inquiry', 'open'], false],
    [['open'], false],
    [['open', 'won'], true],
    [['open', 'lost'], false],
    [['won', 'open'], true],
    [['lost', 'inquiry'], false],
  ])('reported as %j leaves premium %p', async (states, left) => {
    const { move, reportSession, reportDispute, premium } = await open()
    await reportSession(move('paid'))
    for (const [minute, state] of states.entries()) await reportDispute(state, minute)
    expect(await premium()).toBe(left)
  })

  test('counts also when it is known before the payment', async () => {
    const { move, reportSession, reportDispute, premium } = await open()
    await reportDispute('open')
    await reportSession(move('paid'))
    expect(await premium()).toBe(false)
    await reportDispute('won', 1)
    expect(await premium()).toBe(true)
  })
})

test('whatever is reported is a change once, and what is not ours never', async () => {
  const { ports, paymentIntentId, notify, move, reportSession, reportRefund, reportDispute } =
    await open()
  const foreign = { ...move('paid'), sessionId: 'cs_of_nobody', purchaseId: null }
  expect(await reportSession(foreign)).toBe(false)
  expect(await notify({ kind: 'other' })).toBe(false)
  const hint = () => notify({ kind: 'refund_hint', paymentIntentId })
  for (const report of [
    () => reportSession(move('paid')),
    () => reportRefund('pending'),
    () => reportDispute('open'),
  ]) {
    expect([await report(), await report()]).toEqual([true, false])
  }
  expect(await hint()).toBe(false)
  ports.payments.refunds.push({ id: 're_2', paymentIntentId, amount: 100, state: 'succeeded' })
  expect([await hint(), await hint()]).toEqual([true, false])
})
