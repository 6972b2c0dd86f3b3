import { t } from 'elysia'
import { describeAnswers } from './responses.ts'

const WORDS = {
  description:
    'Called by the payment provider alone. The answer is 200 once the effect is durable, and also for an event that ' +
    'changes nothing; after any other the provider is expected to send the event again.',
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
    ['invalid_signature', 'invalid_request', 'request_too_large'],
  ),
}

export const WEBHOOK = { receiveStripeNotification: WORDS, receivePaymentNotification: WORDS }
