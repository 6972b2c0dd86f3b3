import { Elysia, t } from 'elysia'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import { parseEmail } from '../../../domain/email.ts'
import { SESSION_ID } from '../../../domain/purchase.ts'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import {
  ACCEPT_LANGUAGE,
  EMAIL_INPUT,
  EXAMPLE_EMAIL,
  LANG_INPUT,
  SUCCESS,
} from '../openapi/fields.ts'
import { BODY_REFUSALS, describeAnswers } from '../openapi/responses.ts'
import { jsonBody } from '../request/json-body.ts'
import { requestLanguage } from '../request/language.ts'
import type { HttpOptions } from '../request/options.ts'

const CHECKOUT_BODY = t.Object(
  { email: EMAIL_INPUT, lang: t.Optional(LANG_INPUT) },
  { examples: [{ email: EXAMPLE_EMAIL, lang: 'fr' }] },
)

export function checkoutRoutes({ ports }: HttpOptions) {
  const { languages: offered } = ports.content
  return new Elysia().post(
    '/checkout',
    async ({ body, request }) => {
      const email = parseEmail(body.email)
      const language = requestLanguage(request, { lang: body.lang, offered })
      const { checkoutUrl, sessionId } = await startCheckout(ports, { email, language })
      return { success: true, checkoutUrl, sessionId }
    },
    { ...jsonBody(CHECKOUT_BODY), detail: DETAIL },
  )
}

const DETAIL = {
  operationId: 'startCheckout',
  summary: ENDPOINTS.checkout['POST /checkout'],
  description:
    'Send the buyer to `checkoutUrl`. While the address has an open session at the price of today, that one is ' +
    'answered again. The language is that of the mails about the payment.',
  tags: ['checkout'],
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
}
