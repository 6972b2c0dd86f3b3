import { Elysia, t } from 'elysia'
import { logFailure } from '../../application/fault-report.ts'
import { settlePayment } from '../../application/settle-payment.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { describeAnswers } from './api-description.ts'
import { ENDPOINTS } from './endpoints.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from './errors.ts'
import type { HttpOptions } from './options.ts'
import { requestIdOf } from './request-id.ts'

export function webhookRoutes({ ports }: HttpOptions) {
  /** Answers once the effect is durable. Whatever is out of reach, the provider is only told to come again. */
  async function receive(request: Request): Promise<Response | { received: true }> {
    const payload = await request.bytes()
    const signature = request.headers.get('stripe-signature')
    try {
      const notification = await ports.payments.readNotification({ payload, signature })
      await settlePayment(ports, notification, 'webhook')
      const { eventId, eventType } = notification
      ports.log.info('payment notification received', { notification: eventId, type: eventType })
    } catch (error) {
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
        summary: ENDPOINTS.webhook['POST /webhook/stripe'],
        description: 'Also at /webhook/payment. The Stripe-Signature header signs the very bytes.',
        tags: ['webhook'],
        responses: describeAnswers(t.Object({ received: t.Literal(true) }), [
          'invalid_signature',
          'request_too_large',
          'storage',
        ]),
      },
    })
    .post('/webhook/payment', ({ request }) => receive(request), {
      parse: 'none',
      detail: { hide: true },
    })
}
