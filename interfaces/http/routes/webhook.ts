import { Elysia, t } from 'elysia'
import { logFailure } from '../../../application/error-report.ts'
import { settlePayment } from '../../../application/payments/settle-payment.ts'
import type { PaymentNotification, Ports } from '../../../application/ports.ts'
import type { NotificationReceived } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DomainError } from '../../../domain/errors.ts'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { describeAnswers } from '../openapi/responses.ts'
import type { HttpOptions } from '../request/options.ts'
import { requestIdOf } from '../request/request-id.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from '../response/errors.ts'

export function webhookRoutes({ ports }: HttpOptions) {
  /** Answers once the effect is durable. Whatever is out of reach, the provider is only told to come again. */
  async function receive(request: Request): Promise<Response | { received: true }> {
    const payload = await request.bytes()
    const signature = request.headers.get('stripe-signature')
    try {
      const notification = await ports.payments.readNotification({ payload, signature })
      const isNews = await settlePayment(ports, notification, 'webhook')
      const { eventId, eventType } = notification
      recordEffect(ports, notification, isNews)
      ports.log.info('payment notification received', { notification: eventId, type: eventType })
    } catch (error) {
      ports.telemetry.record({
        kind: 'notification_received',
        outcome: failureOutcome(error),
        lagMs: null,
      })
      if (!(error instanceof Unavailable)) throw error
      logFailure(ports, error, { request: requestIdOf(request) })
      return answerResponse(TEMPORARILY_UNAVAILABLE)
    }
    return { received: true }
  }

  return new Elysia()
    .post('/webhook/stripe', ({ request }) => receive(request), {
      parse: 'none',
      detail: {
        ...DETAIL,
        operationId: 'receiveStripeNotification',
        summary: ENDPOINTS.webhook['POST /webhook/stripe'],
      },
    })
    .post('/webhook/payment', ({ request }) => receive(request), {
      parse: 'none',
      detail: {
        ...DETAIL,
        operationId: 'receivePaymentNotification',
        summary: 'The same as /webhook/stripe',
      },
    })
}

function recordEffect(
  { telemetry, clock }: Pick<Ports, 'telemetry' | 'clock'>,
  { kind, occurredAt }: PaymentNotification,
  isNews: boolean,
): void {
  const outcome = isNews ? 'news' : kind === 'other' ? 'ignored' : 'known'
  const lagMs = occurredAt && clock.now().getTime() - occurredAt.getTime()
  telemetry.record({ kind: 'notification_received', outcome, lagMs })
}

function failureOutcome(error: unknown): NotificationReceived['outcome'] {
  if (error instanceof Unavailable) return 'unavailable'
  return error instanceof DomainError ? 'refused' : 'fault'
}

const DETAIL = {
  description:
    'Called by the payment provider alone. The answer is 200 once the effect is durable, and also for an event that ' +
    'changes nothing; after any other the provider is expected to send the event again.',
  tags: ['webhook'],
  parameters: [
    {
      name: 'Stripe-Signature',
      in: 'header' as const,
      required: true,
      description: 'Signs the very bytes of the body, at most five minutes ago.',
      schema: { type: 'string' as const },
      example: 't=1772366400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
    },
  ],
  requestBody: {
    required: true,
    description: "An event of Stripe's, up to 1 MiB.",
    content: {
      'application/json': {
        schema: {
          type: 'object' as const,
          description: 'See https://docs.stripe.com/api/events/object.',
          examples: [
            { id: 'evt_1Sxyz', object: 'event', type: 'checkout.session.completed', data: {} },
          ],
        },
      },
    },
  },
  responses: describeAnswers(
    { schema: t.Object({ received: t.Literal(true) }), example: { received: true } },
    ['invalid_signature', 'invalid_request'],
  ),
}
