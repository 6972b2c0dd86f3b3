import { Elysia, t } from 'elysia'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import { parseEmail } from '../../../domain/email.ts'
import { START_CHECKOUT } from '../openapi/checkout.ts'
import { EMAIL_INPUT, EXAMPLE_EMAIL, LANG_INPUT } from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
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
    ROUTES.startCheckout.path,
    async ({ body, request }) => {
      const email = parseEmail(body.email)
      const language = requestLanguage(request, { lang: body.lang, offered })
      const { checkoutUrl, sessionId } = await startCheckout(ports, { email, language })
      return { success: true, checkoutUrl, sessionId }
    },
    { ...jsonBody(CHECKOUT_BODY), detail: START_CHECKOUT },
  )
}
