import { Elysia, t } from 'elysia'
import { startCheckout } from '../../application/start-checkout.ts'
import { parseEmail } from '../../domain/email.ts'
import { BODY_REFUSALS, describeAnswers, EMAIL, SUCCESS } from './api-description.ts'
import { ENDPOINTS } from './endpoints.ts'
import { jsonBody } from './json-body.ts'
import type { HttpOptions } from './options.ts'
import { requestLanguage } from './request-language.ts'

const CHECKOUT_BODY = t.Object({
  email: EMAIL,
  lang: t.Optional(t.String({ description: 'Language of the mails about it.', examples: ['fr'] })),
})

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
    {
      ...jsonBody(CHECKOUT_BODY),
      detail: {
        summary: ENDPOINTS.checkout['POST /checkout'],
        tags: ['checkout'],
        responses: describeAnswers(
          t.Object({
            success: SUCCESS,
            checkoutUrl: t.String({ description: "The provider's hosted payment page." }),
            sessionId: t.String(),
          }),
          [
            ...BODY_REFUSALS,
            'invalid_email',
            'email_not_verified',
            'premium_already_active',
            'payment_processing',
            'payment',
            'storage',
            'too_many_requests',
          ],
        ),
      },
    },
  )
}
