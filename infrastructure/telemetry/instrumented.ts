import type { Log, Mailer, PaymentGateway } from '../../application/ports.ts'
import type { ProviderCall, Telemetry } from '../../application/telemetry.ts'
import { Unavailable } from '../../application/unavailable.ts'

type Instruments = {
  readonly telemetry: Telemetry
  readonly log: Log
  /** Milliseconds that pass evenly, whatever is done to the clock. */
  readonly monotonicMs: () => number
}

/** The same mailer, and telemetry hears how long each mail took and how it ended; so does the log at level debug. */
export function measuredMailer(mailer: Mailer, instruments: Instruments): Mailer {
  const measure = measurement('email', instruments)
  return {
    sendOtp: (mail) => measure('code', () => mailer.sendOtp(mail)),
    sendPaymentNotice: (notice) => measure(notice.kind, () => mailer.sendPaymentNotice(notice)),
  }
}

/** The same gateway, and telemetry hears of every question to the provider. What is answered here is none. */
export function measuredPayments(
  gateway: PaymentGateway,
  instruments: Instruments,
): PaymentGateway {
  const measure = measurement('payment', instruments)
  return {
    live: gateway.live,
    price: gateway.price,
    createSession: (purchase) => measure('create_session', () => gateway.createSession(purchase)),
    readSession: (id) => measure('read_session', () => gateway.readSession(id)),
    expireSession: (id) => measure('expire_session', () => gateway.expireSession(id)),
    listRefunds: (id) => measure('list_refunds', () => gateway.listRefunds(id)),
    listDisputes: (id) => measure('list_disputes', () => gateway.listDisputes(id)),
    refundPayment: (refund) => measure('refund_payment', () => gateway.refundPayment(refund)),
    findCompletedSessions: (window) =>
      measure('find_completed_sessions', () => gateway.findCompletedSessions(window)),
    findUndeliveredNotifications: (window) =>
      measure('find_undelivered_notifications', () => gateway.findUndeliveredNotifications(window)),
    findRefunds: (window) => measure('find_refunds', () => gateway.findRefunds(window)),
    findDisputes: (window) => measure('find_disputes', () => gateway.findDisputes(window)),
    readNotification: gateway.readNotification,
  }
}

function measurement(
  provider: ProviderCall['provider'],
  { telemetry, log, monotonicMs }: Instruments,
): <Result>(operation: string, call: () => Promise<Result>) => Promise<Result> {
  return async (operation, call) => {
    const startedAtMs = monotonicMs()
    function end(failure: ProviderCall['failure']) {
      const ms = monotonicMs() - startedAtMs
      telemetry.record({ kind: 'provider_called', provider, operation, ms, failure })
      log('provider.called', { provider, operation, ms: Math.round(ms), failure })
    }
    try {
      const result = await call()
      end(null)
      return result
    } catch (error) {
      end(failureOf(error))
      throw error
    }
  }
}

function failureOf(error: unknown): Exclude<ProviderCall['failure'], null> {
  if (!(error instanceof Unavailable)) return 'fault'
  return error.needsOperator ? 'refused' : 'unavailable'
}
