import { Elysia } from 'elysia'
import { logOutage } from '../../../application/error-report.ts'
import { settlePayment } from '../../../application/payments/settle-payment.ts'
import type { PaymentEvent, Ports } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DAY_MS } from '../../../domain/duration.ts'
import { ROUTES } from '../paths.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from '../response/errors.ts'
import { recordFailure } from './webhook-failure.ts'

const NO_PAYLOAD = new Uint8Array()

export function webhookRoutes({ ports, monotonicMs }: HttpOptions) {
  let warnedMs = Number.NEGATIVE_INFINITY

  /** Once a day, however many come. */
  function warnOfThinEvents(): void {
    const nowMs = monotonicMs()
    if (nowMs - warnedMs < DAY_MS) return
    warnedMs = nowMs
    ports.log('webhook.thin')
  }

  /** Answers once the effect is durable. During an outage it only asks the provider to send again. */
  async function receive(request: Request): Promise<Response | { received: true }> {
    const { requestId, readBody } = exchangeOf(request)
    const payload = (await readBody()) ?? NO_PAYLOAD
    const signature = request.headers.get('stripe-signature')
    try {
      const event = await ports.notifications.verifyEvent({ payload, signature })
      const isStateChange = await settlePayment(ports, event, 'webhook')
      const { eventId, eventType } = event
      recordEffect(ports, event, isStateChange)
      if (event.kind === 'other' && event.isThin) warnOfThinEvents()
      ports.log('webhook.received', { notification: eventId, type: eventType })
    } catch (error) {
      recordFailure(ports, error)
      if (!(error instanceof Unavailable)) throw error
      logOutage(ports, error, { request: requestId })
      return answerResponse(TEMPORARILY_UNAVAILABLE)
    }
    return { received: true }
  }

  return new Elysia()
    .post(ROUTES.receiveStripeNotification.path, ({ request }) => receive(request), {
      parse: 'none',
    })
    .post(ROUTES.receivePaymentNotification.path, ({ request }) => receive(request), {
      parse: 'none',
    })
}

function recordEffect(
  { telemetry, clock }: Pick<Ports, 'telemetry' | 'clock'>,
  { kind, occurredAt }: PaymentEvent,
  isStateChange: boolean,
): void {
  const outcome = isStateChange ? 'news' : kind === 'other' ? 'ignored' : 'known'
  const lagMs = occurredAt && clock.now().getTime() - occurredAt.getTime()
  telemetry.record({ kind: 'notification_received', outcome, lagMs })
}
