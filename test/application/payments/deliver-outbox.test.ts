import { describe, expect, test } from 'bun:test'
import { deliverOutbox } from '../../../application/payments/deliver-outbox.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { draftMessage, type OutboxKind } from '../../../domain/outbox.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import type { Purchase } from '../../../domain/purchase.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'

const RUNNING = new AbortController().signal

/** Ports whose outbox holds messages about paid purchases. */
async function openOutbox(...messages: readonly (readonly [OutboxKind, Purchase])[]) {
  const ports = fakePorts()
  for (const [kind, purchase] of messages) {
    await ports.purchases.update(ANNA, ORIGIN, () => ({
      purchase,
      messages: [draftMessage(kind, purchase, ports.clock.now())],
    }))
  }
  const messagesOf = (purchase: Purchase) => ports.outbox.findByPurchase(purchase.id)
  return { ports, messagesOf, deliver: () => deliverOutbox(ports, RUNNING) }
}

describe('a mail', () => {
  test('goes out once, under its own key, in the buyer’s language, with what was paid', async () => {
    const purchase = paidPurchase('pur_one', { language: 'sv', amountPaid: 350 })
    const { ports, messagesOf, deliver } = await openOutbox(['payment_confirmed', purchase])

    await deliver()
    await deliver()

    expect(ports.mailer.notices).toEqual([
      {
        kind: 'payment_confirmed',
        key: 'payment_confirmed:pur_one' as never,
        to: ANNA,
        language: 'sv',
        amount: { amount: 350, currency: 'eur' },
      },
    ])
    expect(await messagesOf(purchase)).toMatchObject([{ state: 'done', attempts: 1 }])
  })

  test('that the provider does not take is tried again, each time later, and goes out when it does', async () => {
    const purchase = paidPurchase('pur_one')
    const { ports, deliver } = await openOutbox(['payment_failed', purchase])
    const { mailer, clock } = ports
    mailer.outage = true

    const waits: number[] = []
    for (let attempt = 1; attempt <= 10; attempt++) {
      await deliver()
      const [message] = await ports.outbox.findByPurchase(purchase.id)
      if (message?.state !== 'waiting') throw new Error('it does not wait')
      expect(message.attempts).toBe(attempt)
      waits.push(message.dueAt.getTime() - clock.now().getTime())
      clock.advance(waits.at(-1)! - 1)
      await deliver()
      expect((await ports.outbox.findByPurchase(purchase.id))[0]!.attempts).toBe(attempt)
      clock.advance(1)
    }
    expect(waits.map((wait) => wait / MINUTE_MS)).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60])

    mailer.outage = false
    await deliver()
    expect(mailer.notices).toHaveLength(1)
  })

  test('survives a provider that is down for a day', async () => {
    const purchase = paidPurchase('pur_one')
    const { ports, deliver } = await openOutbox(['payment_confirmed', purchase])
    ports.mailer.outage = true
    for (let minute = 0; minute < 24 * 60; minute++) {
      await deliver()
      ports.clock.advance(MINUTE_MS)
    }
    ports.mailer.outage = false
    for (let minute = 0; minute < 60; minute++) {
      await deliver()
      ports.clock.advance(MINUTE_MS)
    }
    expect(ports.mailer.notices).toHaveLength(1)
  })

  test('that no provider takes for three days is given up, and the operator is alarmed once', async () => {
    const purchase = paidPurchase('pur_one')
    const { ports, messagesOf, deliver } = await openOutbox(['payment_confirmed', purchase])
    ports.mailer.outage = true
    for (let hour = 0; hour < 80; hour++) {
      await deliver()
      ports.clock.advance(HOUR_MS)
    }
    ports.mailer.outage = false
    await deliver()
    expect(ports.mailer.notices).toEqual([])
    expect(await messagesOf(purchase)).toMatchObject([{ state: 'given_up' }])
    const alarms = ports.log.lines.filter(({ level }) => level === 'error')
    expect(alarms).toMatchObject([{ fields: { outbox: 'payment_confirmed:pur_one' } }])
  })

  test('that waited while the service was down for a week is still tried', async () => {
    const { ports, deliver } = await openOutbox(['payment_confirmed', paidPurchase('pur_one')])
    ports.clock.advance(7 * DAY_MS)
    await deliver()
    expect(ports.mailer.notices).toHaveLength(1)
  })

  test('that a clock far ahead has put off goes out once the clock is right again', async () => {
    const purchase = paidPurchase('pur_one')
    const { ports, deliver } = await openOutbox(['payment_confirmed', purchase])
    ports.mailer.outage = true
    ports.clock.advance(365 * DAY_MS)
    await deliver()
    ports.mailer.outage = false
    ports.clock.advance(-365 * DAY_MS)
    await deliver()
    expect(ports.mailer.notices).toHaveLength(1)
  })

  test('that was tried once before the service was down for a week is tried again', async () => {
    const { ports, deliver } = await openOutbox(['payment_confirmed', paidPurchase('pur_one')])
    ports.mailer.outage = true
    await deliver()
    ports.mailer.outage = false
    ports.clock.advance(7 * DAY_MS)
    await deliver()
    expect(ports.mailer.notices).toHaveLength(1)
  })

  test('that cannot be sent at all does not keep the next one from going out', async () => {
    const [bad, good] = [paidPurchase('pur_bad'), paidPurchase('pur_good')]
    const { ports, deliver } = await openOutbox(
      ['payment_confirmed', bad],
      ['payment_confirmed', good],
    )
    const { sendPaymentNotice } = ports.mailer
    ports.mailer.sendPaymentNotice = async (notice) => {
      if (notice.key.endsWith('pur_bad')) throw new Error('no words for it')
      await sendPaymentNotice(notice)
    }
    await deliver()
    await deliver()
    expect(ports.mailer.notices).toMatchObject([{ key: 'payment_confirmed:pur_good' }])
    expect(ports.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'outbox.failed' }),
    )
  })

  test('that is refused for good because of its address is given up at once, and the next one goes out', async () => {
    const [bad, good] = [paidPurchase('pur_bad'), paidPurchase('pur_good')]
    const { ports, messagesOf, deliver } = await openOutbox(
      ['payment_confirmed', bad],
      ['payment_confirmed', good],
    )
    const { sendPaymentNotice } = ports.mailer
    ports.mailer.sendPaymentNotice = async (notice) => {
      const cause = new Error('550 nobody there')
      if (notice.key.endsWith('pur_bad')) throw new Unavailable('email', { cause, isForGood: true })
      await sendPaymentNotice(notice)
    }
    await deliver()
    expect(ports.mailer.notices).toMatchObject([{ key: 'payment_confirmed:pur_good' }])
    expect(await messagesOf(bad)).toMatchObject([{ state: 'given_up', attempts: 1 }])
    const { lines } = ports.log
    expect(lines.filter(({ fields }) => fields['purchase'] === 'pur_bad')).toMatchObject([
      { level: 'warn', fields: { error: expect.stringContaining('550 nobody there') } },
      { level: 'error', event: 'outbox.given_up' },
    ])
  })

  test('that its server puts off for some time keeps no other one waiting', async () => {
    const [slow, ...others] = ['slow', 'one', 'two', 'three'].map((id) => paidPurchase(`pur_${id}`))
    const { ports, deliver } = await openOutbox(
      ...[slow!, ...others].map((purchase) => ['payment_confirmed', purchase] as const),
    )
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { sendPaymentNotice } = ports.mailer
    ports.mailer.sendPaymentNotice = async (notice) => {
      if (notice.key.endsWith('pur_slow')) await held
      await sendPaymentNotice(notice)
    }
    const round = deliver()
    while (ports.mailer.notices.length < others.length) await Bun.sleep(0)
    release()
    await round
    expect(ports.mailer.notices.at(-1)).toMatchObject({ key: 'payment_confirmed:pur_slow' })
  })

  test('is not begun any more once the service stops', async () => {
    const { ports } = await openOutbox(['payment_confirmed', paidPurchase('pur_one')])
    await deliverOutbox(ports, AbortSignal.abort())
    expect(ports.mailer.notices).toEqual([])
  })
})

describe('a second payment', () => {
  const first = paidPurchase('pur_first')
  const second = paidPurchase('pur_second', { isDuplicate: true })

  async function openSecond() {
    const opened = await openOutbox(['duplicate_refund', second])
    const { purchases, payments } = opened.ports
    await purchases.update(ANNA, ORIGIN, () => ({ purchase: first }))
    payments.move((await payments.createSession(second)).sessionId, 'paid')
    return opened
  }

  test('is sent back once, and the first one stays', async () => {
    const { ports, messagesOf, deliver } = await openSecond()
    await deliver()
    await deliver()
    expect(ports.payments.refunds).toMatchObject([{ paymentIntentId: 'pi_pur_second' }])
    expect(await messagesOf(second)).toMatchObject([{ state: 'done' }])

    const { grants, refunds } = await ports.purchases.findAccount(ANNA)
    expect(refunds).toMatchObject([{ paymentIntentId: 'pi_pur_second', amount: 400 }])
    const active = new Map(grants.map((grant) => [grant.id, isActive(grant)]))
    expect(active).toEqual(
      new Map([
        ['pur_first', true],
        ['pur_second', false],
      ]),
    )
    const audit = await ports.auditTrail.findByEmail(ANNA)
    expect(audit.at(-1)).toMatchObject({
      grantId: 'pur_second',
      by: 'outbox',
      source: 'duplicate_refund:pur_second',
      isActive: false,
    })
    expect(ports.mailer.notices).toEqual([])
  })

  test('waits while the provider is out of reach, and mails go out all the same', async () => {
    const { ports, deliver } = await openSecond()
    await ports.purchases.update(ANNA, ORIGIN, () => ({
      purchase: null,
      messages: [draftMessage('payment_confirmed', first, ports.clock.now())],
    }))
    ports.payments.outage = true
    await deliver()
    expect(ports.payments.refunds).toEqual([])
    expect(ports.mailer.notices).toHaveLength(1)

    ports.payments.outage = false
    ports.clock.advance(MINUTE_MS)
    await deliver()
    expect(ports.payments.refunds).toHaveLength(1)
  })

  test('is kept, and confirmed, when the bank took the first one back in the meantime', async () => {
    const { ports, messagesOf, deliver } = await openSecond()
    const dispute = {
      id: 'du_1',
      paymentIntentId: 'pi_pur_first',
      state: 'open',
      reportedAt: ports.clock.now(),
    } as const
    await ports.disputes.update([dispute], ORIGIN, () => dispute)
    await deliver()
    await deliver()
    expect(ports.payments.refunds).toEqual([])
    const states = (await messagesOf(second)).map(({ kind, state }) => [kind, state])
    expect(states).toEqual([
      ['duplicate_refund', 'dropped'],
      ['payment_confirmed', 'done'],
    ])
    expect(ports.mailer.notices).toMatchObject([{ key: 'payment_confirmed:pur_second' }])
  })

  test('is kept when the first one was given back long ago, and only the provider knows', async () => {
    const { ports, deliver } = await openSecond()
    ports.payments.refunds.push({
      id: 're_1',
      paymentIntentId: 'pi_pur_first',
      amount: 400,
      state: 'succeeded',
    })
    await deliver()
    expect(ports.payments.calls).not.toContain('refundPayment')
    const active = (await ports.premiumGrants.findByEmail(ANNA)).filter(isActive)
    expect(active).toMatchObject([{ id: 'pur_second' }])
  })

  test('is sent back also where an operator took away what the first one gave', async () => {
    const { ports, deliver } = await openSecond()
    await ports.premiumGrants.revokeAll(ANNA, ORIGIN)
    await deliver()
    await deliver()
    expect(ports.payments.refunds).toMatchObject([{ paymentIntentId: 'pi_pur_second' }])
    expect(ports.mailer.notices).toEqual([])
  })

  test('that was refunded by hand, like the first one, is not confirmed by mail', async () => {
    const { ports, messagesOf, deliver } = await openSecond()
    for (const name of ['first', 'second']) {
      const paymentIntentId = `pi_pur_${name}`
      ports.payments.refunds.push({
        id: `re_${name}`,
        paymentIntentId,
        amount: 400,
        state: 'succeeded',
      })
    }
    await deliver()
    await deliver()
    expect(ports.mailer.notices).toEqual([])
    expect(await messagesOf(second)).toMatchObject([{ state: 'dropped' }])
    expect(await ports.purchases.findById(second.id)).toMatchObject({ isDuplicate: false })
  })

  test('is not sent back any more once the operator wants no refunds', async () => {
    const { ports, messagesOf, deliver } = await openSecond()
    Object.assign(ports.rules, { refundDuplicates: false })
    await deliver()
    expect(ports.payments.calls).toEqual(['createSession'])
    expect(await messagesOf(second)).toMatchObject([{ state: 'dropped' }])
  })

  test('does not hold up the mails while the provider takes its time', async () => {
    const { ports, messagesOf, deliver } = await openSecond()
    await ports.purchases.update(ANNA, ORIGIN, () => ({
      purchase: null,
      messages: [draftMessage('payment_confirmed', first, ports.clock.now())],
    }))
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { refundPayment } = ports.payments
    ports.payments.refundPayment = async (refund) => {
      await held
      return refundPayment(refund)
    }
    const round = deliver()
    while (ports.mailer.notices.length === 0) await Bun.sleep(0)
    expect(await messagesOf(second)).toMatchObject([{ state: 'waiting' }])
    release()
    await round
    expect(await messagesOf(second)).toMatchObject([{ state: 'done' }])
  })

  test('of which the provider refuses the key calls the operator', async () => {
    const { ports, deliver } = await openSecond()
    ports.payments.refundPayment = async () => {
      throw new Unavailable('payment', { cause: new Error('401'), setting: 'KEY' })
    }
    await deliver()
    expect(ports.log.lines).toMatchObject([
      { level: 'error', fields: { outage: 'payment', outbox: 'duplicate_refund:pur_second' } },
    ])
  })
})

test('a database that does not answer is the caller’s to handle', async () => {
  const { ports } = await openOutbox()
  ports.outbox.takeDue = async () => {
    throw new Unavailable('storage', { cause: new Error('locked') })
  }
  await expect(deliverOutbox(ports, RUNNING)).rejects.toThrow('storage unavailable')
})
