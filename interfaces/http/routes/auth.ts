import { Elysia, t } from 'elysia'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { confirmEmail } from '../../../application/access/confirm-email.ts'
import { logIn } from '../../../application/access/log-in.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { requestOtp } from '../../../application/access/request-otp.ts'
import { verifyEmail } from '../../../application/access/send-code.ts'
import { parseCodeChallenge } from '../../../domain/code-challenge.ts'
import { parseEmail } from '../../../domain/email.ts'
import { parseOtpCode } from '../../../domain/otp.ts'
import {
  CHECK,
  CONFIRM_EMAIL,
  LOG_IN,
  LOG_OUT,
  REQUEST_OTP,
  VERIFY_EMAIL,
} from '../openapi/auth.ts'
import { CODE_INPUT, EMAIL_INPUT, EXAMPLE_EMAIL, LANG_INPUT } from '../openapi/fields.ts'
import { authenticateRequest } from '../request/bearer.ts'
import { jsonBody } from '../request/json-body.ts'
import { requestLanguage } from '../request/language.ts'
import type { HttpOptions } from '../request/options.ts'

const LEGACY_PATHS = ['/auth/request-otp', '/auth/login']

/** RFC 9745 wants a moment: the release of version 1.0.0, which has had the better way from the start. */
const LEGACY_HEADERS = {
  Deprecation: `@${Date.UTC(2026, 10, 21) / 1000}`,
  Link: '</auth/verify-email>; rel="successor-version"',
}

/** What every answer of a path carries, errors too, because the path is deprecated. */
export function deprecationHeaders(path: string): Readonly<Record<string, string>> {
  return LEGACY_PATHS.includes(path) ? LEGACY_HEADERS : {}
}

const MAILED = 'A one-time code was sent by email'

const MAIL_BODY = t.Object(
  { email: EMAIL_INPUT, lang: t.Optional(LANG_INPUT) },
  { examples: [{ email: EXAMPLE_EMAIL, lang: 'fr' }] },
)
const CODE_FIELDS = { email: EMAIL_INPUT, code: CODE_INPUT }
const CODE_EXAMPLE = { email: EXAMPLE_EMAIL, code: '012345' }
const CODE_BODY = t.Object(CODE_FIELDS, { examples: [CODE_EXAMPLE] })
const CONFIRM_BODY = t.Object(
  {
    ...CODE_FIELDS,
    codeChallenge: t.Optional(
      t.String({
        description:
          'The SHA-256 of a code verifier, in base64url (RFC 7636, method S256). Whoever has the verifier can log in ' +
          'with it at /auth/token while the verification lasts.',
      }),
    ),
  },
  {
    examples: [{ ...CODE_EXAMPLE, codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
  },
)

export function authRoutes({ ports, development }: HttpOptions) {
  const { languages: offered } = ports.content
  return new Elysia()
    .post(
      '/auth/verify-email',
      async ({ body, request }) => {
        const email = parseEmail(body.email)
        const language = requestLanguage(request, { lang: body.lang, offered })
        const code = await verifyEmail(ports, { email, language })
        return { success: true, message: MAILED, ...(development ? { devCode: code } : {}) }
      },
      { ...jsonBody(MAIL_BODY), detail: VERIFY_EMAIL },
    )
    .post(
      '/auth/confirm-email',
      async ({ body }) => {
        const email = parseEmail(body.email)
        const codeChallenge =
          body.codeChallenge === undefined ? null : parseCodeChallenge(body.codeChallenge)
        const code = parseOtpCode(body.code)
        const token = await confirmEmail(ports, { email, code, codeChallenge })
        return { success: true, message: 'Email verified', email, ...(token ? { token } : {}) }
      },
      { ...jsonBody(CONFIRM_BODY), detail: CONFIRM_EMAIL },
    )
    .post(
      '/auth/request-otp',
      async ({ body, request }) => {
        const email = parseEmail(body.email)
        const language = requestLanguage(request, { lang: body.lang, offered })
        const code = await requestOtp(ports, { email, language })
        return { success: true, message: MAILED, ...(development ? { devCode: code } : {}) }
      },
      { ...jsonBody(MAIL_BODY), detail: REQUEST_OTP },
    )
    .post(
      '/auth/login',
      async ({ body }) => {
        const email = parseEmail(body.email)
        const token = await logIn(ports, { email, code: parseOtpCode(body.code) })
        return { success: true, token, email }
      },
      { ...jsonBody(CODE_BODY), detail: LOG_IN },
    )
    .post(
      '/auth/logout',
      async ({ request }) => {
        await logOut(ports, await authenticateRequest(ports, request))
        return { success: true, message: 'Logged out everywhere' }
      },
      { parse: 'none', detail: LOG_OUT },
    )
    .get(
      '/auth/check',
      async ({ query }) => {
        const email = parseEmail(query.email)
        return { email, hasPremium: await checkPremium(ports, email) }
      },
      { query: t.Object({ email: EMAIL_INPUT }), detail: CHECK },
    )
}
