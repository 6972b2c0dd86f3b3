import { Elysia, t } from 'elysia'
import { checkPremium } from '../../application/check-premium.ts'
import { confirmEmail } from '../../application/confirm-email.ts'
import { logIn } from '../../application/log-in.ts'
import { logOut } from '../../application/log-out.ts'
import { requestOtp } from '../../application/request-otp.ts'
import { verifyEmail } from '../../application/verify-email.ts'
import { parseEmail } from '../../domain/email.ts'
import { parseOtpCode } from '../../domain/otp.ts'
import {
  BODY_REFUSALS,
  CODE,
  describeAnswers,
  EMAIL,
  MESSAGE,
  NEEDS_TOKEN,
  SUCCESS,
  TOKEN,
} from './api-description.ts'
import { authenticateRequest } from './bearer.ts'
import { ENDPOINTS } from './endpoints.ts'
import { jsonBody } from './json-body.ts'
import type { HttpOptions } from './options.ts'
import { requestLanguage } from './request-language.ts'

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

const MAIL_BODY = t.Object({
  email: EMAIL,
  lang: t.Optional(t.String({ description: 'Language of the mail.', examples: ['fr'] })),
})
const MAIL_ANSWER = t.Object({
  success: SUCCESS,
  message: MESSAGE,
  devCode: t.Optional(t.String({ description: 'The code itself, in development mode only.' })),
})
const CODE_BODY = t.Object({ email: EMAIL, code: CODE })

const MAIL_REFUSALS = ['invalid_email', 'too_many_mails', 'email', 'storage'] as const
const CODE_REFUSALS = ['invalid_email', 'invalid_code', 'too_many_wrong_codes', 'storage'] as const

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
      {
        ...jsonBody(MAIL_BODY),
        detail: {
          summary: ENDPOINTS.auth['POST /auth/verify-email'],
          tags: ['auth'],
          responses: describeAnswers(MAIL_ANSWER, [
            ...BODY_REFUSALS,
            ...MAIL_REFUSALS,
            'too_many_requests',
          ]),
        },
      },
    )
    .post(
      '/auth/confirm-email',
      async ({ body }) => {
        const email = parseEmail(body.email)
        const token = await confirmEmail(ports, { email, code: parseOtpCode(body.code) })
        return { success: true, message: 'Email verified', email, ...(token ? { token } : {}) }
      },
      {
        ...jsonBody(CODE_BODY),
        detail: {
          summary: ENDPOINTS.auth['POST /auth/confirm-email'],
          tags: ['auth'],
          responses: describeAnswers(
            t.Object({
              success: SUCCESS,
              message: MESSAGE,
              email: EMAIL,
              token: t.Optional({
                ...TOKEN,
                description: 'Where the address has premium already.',
              }),
            }),
            [...BODY_REFUSALS, ...CODE_REFUSALS, 'too_many_requests'],
          ),
        },
      },
    )
    .post(
      '/auth/request-otp',
      async ({ body, request }) => {
        const email = parseEmail(body.email)
        const language = requestLanguage(request, { lang: body.lang, offered })
        const code = await requestOtp(ports, { email, language })
        return { success: true, message: MAILED, ...(development ? { devCode: code } : {}) }
      },
      {
        ...jsonBody(MAIL_BODY),
        detail: {
          summary: ENDPOINTS.auth['POST /auth/request-otp'],
          tags: ['auth'],
          deprecated: true,
          responses: describeAnswers(MAIL_ANSWER, [
            ...BODY_REFUSALS,
            ...MAIL_REFUSALS,
            'premium_required',
            'too_many_requests',
          ]),
        },
      },
    )
    .post(
      '/auth/login',
      async ({ body }) => {
        const email = parseEmail(body.email)
        const token = await logIn(ports, { email, code: parseOtpCode(body.code) })
        return { success: true, token, email }
      },
      {
        ...jsonBody(CODE_BODY),
        detail: {
          summary: ENDPOINTS.auth['POST /auth/login'],
          tags: ['auth'],
          deprecated: true,
          responses: describeAnswers(t.Object({ success: SUCCESS, token: TOKEN, email: EMAIL }), [
            ...BODY_REFUSALS,
            ...CODE_REFUSALS,
            'premium_required_to_log_in',
            'too_many_requests',
          ]),
        },
      },
    )
    .post(
      '/auth/logout',
      async ({ request }) => {
        await logOut(ports, await authenticateRequest(ports, request))
        return { success: true, message: 'Logged out everywhere' }
      },
      {
        parse: 'none',
        detail: {
          summary: ENDPOINTS.auth['POST /auth/logout'],
          tags: ['auth'],
          security: NEEDS_TOKEN,
          responses: describeAnswers(t.Object({ success: SUCCESS, message: MESSAGE }), [
            'missing_token',
            'invalid_token',
            'request_too_large',
            'storage',
            'too_many_requests',
          ]),
        },
      },
    )
    .get(
      '/auth/check',
      async ({ query }) => {
        const email = parseEmail(query.email)
        return { email, hasPremium: await checkPremium(ports, email) }
      },
      {
        query: t.Object({ email: EMAIL }),
        detail: {
          summary: ENDPOINTS.auth['GET /auth/check'],
          tags: ['auth'],
          responses: describeAnswers(t.Object({ email: EMAIL, hasPremium: t.Boolean() }), [
            'invalid_email',
            'storage',
            'too_many_requests',
          ]),
        },
      },
    )
}
