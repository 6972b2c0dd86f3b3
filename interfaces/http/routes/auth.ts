import { Elysia, type Static, t } from 'elysia'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { confirmEmail } from '../../../application/access/confirm-email.ts'
import { logIn } from '../../../application/access/log-in.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { requestOtp } from '../../../application/access/request-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { logInVerified } from '../../../application/payments/log-in-verified.ts'
import { parseCodeChallenge, parseCodeVerifier } from '../../../domain/code-challenge.ts'
import { parseEmail } from '../../../domain/email.ts'
import { parseOtpCode } from '../../../domain/otp.ts'
import {
  CODE_CHALLENGE_INPUT,
  CODE_INPUT,
  CODE_VERIFIER_INPUT,
  EMAIL_INPUT,
  EXAMPLE_CODE_VERIFIER,
  EXAMPLE_EMAIL,
  LANG_INPUT,
} from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { authenticateRequest } from '../request/bearer.ts'
import { exchangeOf } from '../request/exchange.ts'
import { requestLanguage } from '../request/language.ts'
import type { HttpOptions } from '../request/options.ts'
import { senderOf } from '../request/sender.ts'
import { jsonBody } from './checked-body.ts'

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
    codeChallenge: t.Optional(CODE_CHALLENGE_INPUT),
  },
  {
    examples: [{ ...CODE_EXAMPLE, codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
  },
)

const TOKEN_BODY = t.Object(
  { email: EMAIL_INPUT, codeVerifier: CODE_VERIFIER_INPUT },
  { examples: [{ email: EXAMPLE_EMAIL, codeVerifier: EXAMPLE_CODE_VERIFIER }] },
)

export function authRoutes({ ports, development }: HttpOptions) {
  const { languages: offered } = ports.content
  async function mail(
    send: typeof sendCode,
    { email: address, lang }: Static<typeof MAIL_BODY>,
    request: Request,
  ) {
    const email = parseEmail(address)
    const language = requestLanguage(request, { lang, offered })
    const sender = await senderOf(ports, { exchange: exchangeOf(request), email })
    const code = await send(ports, { email, language, sender })
    return { success: true, message: MAILED, ...(development ? { devCode: code } : {}) }
  }

  return new Elysia()
    .post(ROUTES.verifyEmail.path, ({ body, request }) => mail(sendCode, body, request), {
      ...jsonBody(MAIL_BODY),
    })
    .post(
      ROUTES.confirmEmail.path,
      async ({ body, request }) => {
        const email = parseEmail(body.email)
        const codeChallenge =
          body.codeChallenge === undefined ? null : parseCodeChallenge(body.codeChallenge)
        const code = parseOtpCode(body.code)
        const sender = await senderOf(ports, { exchange: exchangeOf(request), email })
        const { token, isPaymentUnderWay } = await confirmEmail(ports, {
          email,
          code,
          sender,
          codeChallenge,
        })
        const found = token
          ? { token }
          : isPaymentUnderWay
            ? { payment: 'processing' as const }
            : {}
        return { success: true, message: 'Email verified', email, ...found }
      },
      { ...jsonBody(CONFIRM_BODY) },
    )
    .post(ROUTES.requestOtp.path, ({ body, request }) => mail(requestOtp, body, request), {
      ...jsonBody(MAIL_BODY),
    })
    .post(
      ROUTES.logIn.path,
      async ({ body, request }) => {
        const email = parseEmail(body.email)
        const code = parseOtpCode(body.code)
        const sender = await senderOf(ports, { exchange: exchangeOf(request), email })
        const token = await logIn(ports, { email, code, sender })
        return { success: true, token, email }
      },
      { ...jsonBody(CODE_BODY) },
    )
    .post(
      ROUTES.logOut.path,
      async ({ request }) => {
        await logOut(ports, await authenticateRequest(ports, exchangeOf(request)))
        return { success: true, message: 'Logged out everywhere' }
      },
      { parse: 'none' },
    )
    .get(
      ROUTES.checkPremium.path,
      async ({ query }) => {
        const email = parseEmail(query.email)
        return { email, hasPremium: await checkPremium(ports, email) }
      },
      { query: t.Object({ email: EMAIL_INPUT }) },
    )
    .post(
      ROUTES.issueToken.path,
      async ({ body }) => {
        const email = parseEmail(body.email)
        const codeVerifier = parseCodeVerifier(body.codeVerifier)
        const token = await logInVerified(ports, { email, codeVerifier })
        return { success: true, token, email }
      },
      { ...jsonBody(TOKEN_BODY) },
    )
}
