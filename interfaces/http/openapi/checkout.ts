import { t } from 'elysia'
import { SESSION_ID } from '../../../domain/order.ts'
import { linksTo } from './endpoints.ts'
import { ACCEPT_LANGUAGE, SUCCESS } from './fields.ts'
import { BODY_REFUSALS, describeAnswers } from './responses.ts'

export const CHECKOUT = {
  startCheckout: {
    description:
      'Send the buyer to `checkoutUrl`. While the address has an open session at the price of today, that one is ' +
      'answered again. The language is that of the mails about the payment. Where the address was confirmed with a ' +
      '`codeChallenge`, a request without the `codeVerifier` to it is answered as if the address were not verified.',
    parameters: [ACCEPT_LANGUAGE],
    responses: describeAnswers(
      {
        schema: t.Object({
          success: SUCCESS,
          checkoutUrl: t.String({
            description: "The provider's hosted payment page.",
            format: 'uri',
            pattern: '^https?://',
          }),
          sessionId: t.String({
            description: "The provider's name for the session.",
            pattern: SESSION_ID.source,
          }),
        }),
        example: {
          success: true,
          checkoutUrl: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3',
          sessionId: 'cs_live_a1b2c3',
        },
        links: linksTo({
          showPayment: {
            description: 'Where the payment page sends the buyer back to.',
            parameters: { session_id: '$response.body#/sessionId' },
          },
          issueToken: {
            description: 'Log in once the buyer has paid, with the `codeVerifier`.',
            requestBody: { email: '$request.body#/email' },
          },
        }),
      },
      [
        ...BODY_REFUSALS,
        'invalid_email',
        'email_not_verified',
        'premium_already_active',
        'payment_processing',
        'payment',
      ],
    ),
  },
}
