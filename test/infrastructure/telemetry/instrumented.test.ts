import { describe, expect, test } from 'bun:test'
import type { PaymentCalls } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { parseEmail } from '../../../domain/email.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { stripePaymentGateway } from '../../../infrastructure/stripe/payment-gateway.ts'
import {
  countedLog,
  measuredMailer,
  measuredPayments,
} from '../../../infrastructure/telemetry/instrumented.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock, NOON, recordingLog, recordingMailer } from '../../support/fakes.ts'
import { recordingTelemetry } from '../../support/recording-telemetry.ts'
import { openPurchase } from '../../support/stores/contract-purchases.ts'
import { PLAIN_TERMS, SEALS } from '../../support/stripe/payment-gateways.ts'
import { scriptedPayments } from '../../support/stripe/scripted-payments.ts'

const to = parseEmail('ada@example.com')
const MAIL = {
  to,
  code: '123456' as OtpCode,
  language: 'en',
  validForMs: 1,
  isCustomer: true,
} as const
const NOTICE = {
  kind: 'payment_failed',
  key: 'key' as OutboxKey,
  to,
  language: 'en',
  amount: { amount: 400, currency: 'eur' },
} as const

const GATEWAY_OPTIONS = {
  secretKey: 'sk_test_none',
  webhookSecrets: ['whsec_none'],
  apiUrl: null,
  product: { price: { amount: 400, currency: 'eur' }, name: 'Alibi Premium' },
  returnUrls: returnUrls('https://alibi.example.com'),
  seals: SEALS,
  terms: PLAIN_TERMS,
  log() {},
  clock: fixedClock(NOON),
}

/** Time passes by 5 ms at every reading. */
function instruments() {
  let ms = 0
  return { telemetry: recordingTelemetry(), log: recordingLog(), monotonicMs: () => (ms += 5) }
}

describe('a measured mailer', () => {
  test('sends as the one inside does, and tells how long that took', async () => {
    const inner = recordingMailer()
    const { telemetry, log, monotonicMs } = instruments()
    const mailer = measuredMailer(inner, { telemetry, log, monotonicMs })
    await mailer.sendOtp(MAIL)
    await mailer.sendPaymentNotice(NOTICE)
    expect([inner.mails, inner.notices]).toEqual([[MAIL], [NOTICE]])
    const call = { kind: 'provider_called', provider: 'email', ms: 5, failure: null } as const
    expect(telemetry.events).toEqual([
      { ...call, operation: 'code' },
      { ...call, operation: 'payment_failed' },
    ])
  })

  test.each<[string, Error, string]>([
    ['an outage', new Unavailable('email', { cause: 1 }), 'unavailable'],
    ['a key that is refused', new Unavailable('email', { cause: 1, setting: 'KEY' }), 'refused'],
    ['a fault', new Error('a bug'), 'fault'],
  ])('passes %s on as it is, and tells of it', async (_, error, failure) => {
    const { telemetry, log, monotonicMs } = instruments()
    const inner = { ...recordingMailer(), sendOtp: () => Promise.reject(error) }
    const mailer = measuredMailer(inner, { telemetry, log, monotonicMs })
    expect(await mailer.sendOtp(MAIL).catch((thrown: unknown) => thrown)).toBe(error)
    expect(telemetry.of('provider_called')).toMatchObject([{ operation: 'code', failure }])
    const fields = { provider: 'email', operation: 'code', ms: 5, failure }
    expect(log.lines).toEqual([{ level: 'debug', event: 'provider.called', fields }])
  })
})

describe('measured payments', () => {
  const window = { since: NOON, cursor: null }
  const calls: Readonly<Record<string, (gateway: PaymentCalls) => Promise<unknown>>> = {
    create_session: (gateway) => gateway.createSession(openPurchase('one')),
    read_session: (gateway) => gateway.readSession('cs_test_one'),
    expire_session: (gateway) => gateway.expireSession('cs_test_one'),
    list_refunds: (gateway) => gateway.listRefunds('pi_one'),
    list_disputes: (gateway) => gateway.listDisputes('pi_one'),
    refund_payment: (gateway) =>
      gateway.refundPayment({ paymentIntentId: 'pi_one', key: 'key' as OutboxKey }),
    find_sessions: (gateway) => gateway.findSessions({ ...window, until: window.since }),
    find_completed_sessions: (gateway) => gateway.findCompletedSessions(window),
    find_undelivered_notifications: (gateway) => gateway.findUndeliveredNotifications(window),
    find_refunds: (gateway) => gateway.findRefunds(window),
    find_disputes: (gateway) => gateway.findDisputes(window),
  }

  async function openPaid() {
    const gateway = scriptedPayments()
    await gateway.createSession(openPurchase('one'))
    // The double calls the payment after the purchase's id.
    const { sessionId } = gateway.move('cs_test_one', 'paid')
    gateway.sessions.set(sessionId, {
      ...gateway.sessions.get(sessionId)!,
      paymentIntentId: 'pi_one',
    })
    return gateway
  }

  test.each(Object.entries(calls))(
    '%s answers as the one inside does, and is told of',
    async (operation, call) => {
      const { telemetry, log, monotonicMs } = instruments()
      const measured = measuredPayments(await openPaid(), { telemetry, log, monotonicMs })
      expect(await call(measured)).toEqual(await call(await openPaid()))
      expect(telemetry.events).toEqual([
        { kind: 'provider_called', provider: 'payment', operation, ms: 5, failure: null },
      ])
    },
  )

  test('are all calls of a gateway but the one for the price', () => {
    const { payments } = stripePaymentGateway(GATEWAY_OPTIONS)
    const measured = measuredPayments(payments, instruments())
    expect(measured.price).toBe(payments.price)
    expect(Object.keys(measured)).toEqual(Object.keys(payments))
    expect(Object.keys(measured).length).toBe(Object.keys(calls).length + 1)
  })
})

test('a counted log writes every line, and counts those about what is not in order', () => {
  const inner = recordingLog()
  const telemetry = recordingTelemetry()
  const log = countedLog(inner, telemetry)
  log('provider.called', { id: 0 })
  log('service.serving', { id: 1 })
  log('readiness.lost', { id: 2 })
  log('backup.failed')
  expect(inner.lines).toEqual([
    { level: 'debug', event: 'provider.called', fields: { id: 0 } },
    { level: 'info', event: 'service.serving', fields: { id: 1 } },
    { level: 'warn', event: 'readiness.lost', fields: { id: 2 } },
    { level: 'error', event: 'backup.failed', fields: {} },
  ])
  expect(telemetry.events).toEqual([
    { kind: 'logged', level: 'warn' },
    { kind: 'logged', level: 'error' },
  ])
})
