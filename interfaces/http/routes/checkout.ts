import { Elysia, t } from 'elysia'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import { findCodeVerifier } from '../../../domain/code-challenge.ts'
import { parseEmail } from '../../../domain/email.ts'
import {
  CODE_VERIFIER_INPUT,
  EMAIL_INPUT,
  EXAMPLE_CODE_VERIFIER,
  EXAMPLE_EMAIL,
  LANG_INPUT,
} from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { requestLanguage } from '../request/language.ts'
import type { HttpOptions } from '../request/options.ts'
import { jsonBody } from './checked-body.ts'

const CHECKOUT_BODY = t.Object(
  {
    email: EMAIL_INPUT,
    codeVerifier: t.Optional(CODE_VERIFIER_INPUT),
    lang: t.Optional(LANG_INPUT),
  },
  { examples: [{ email: EXAMPLE_EMAIL, codeVerifier: EXAMPLE_CODE_VERIFIER, lang: 'fr' }] },
)

export function checkoutRoutes({ ports }: HttpOptions) {
  const { languages: offered } = ports.content
  return new Elysia().post(
    ROUTES.startCheckout.path,
    async ({ body, request }) => {
      const email = parseEmail(body.email)
      const language = requestLanguage(request, { lang: body.lang, offered })
      const codeVerifier = findCodeVerifier(body.codeVerifier ?? '')
      const buyer = { email, language, codeVerifier }
      const { checkoutUrl, sessionId } = await startCheckout(ports, buyer)
      return { success: true, checkoutUrl, sessionId }
    },
    { ...jsonBody(CHECKOUT_BODY) },
  )
}
