import { Elysia, t } from 'elysia'
import { logInVerified } from '../../../application/access/log-in-verified.ts'
import { parseCodeVerifier } from '../../../domain/code-challenge.ts'
import { parseEmail } from '../../../domain/email.ts'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import {
  EMAIL,
  EMAIL_INPUT,
  EXAMPLE_EMAIL,
  EXAMPLE_TOKEN,
  SUCCESS,
  TOKEN,
} from '../openapi/fields.ts'
import { BODY_REFUSALS, describeAnswers } from '../openapi/responses.ts'
import { jsonBody } from '../request/json-body.ts'
import type { HttpOptions } from '../request/options.ts'

const TOKEN_BODY = t.Object(
  {
    email: EMAIL_INPUT,
    codeVerifier: t.String({
      description:
        'What the `codeChallenge` given to /auth/confirm-email was made of: 43 to 128 of the characters A to Z, a to z, ' +
        '0 to 9, `-`, `.`, `_` and `~` (RFC 7636).',
    }),
  },
  {
    examples: [
      { email: EXAMPLE_EMAIL, codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
    ],
  },
)

export function tokenRoutes({ ports }: HttpOptions) {
  return new Elysia().post(
    '/auth/token',
    async ({ body }) => {
      const email = parseEmail(body.email)
      const codeVerifier = parseCodeVerifier(body.codeVerifier)
      const token = await logInVerified(ports, { email, codeVerifier })
      return { success: true, token, email }
    },
    {
      ...jsonBody(TOKEN_BODY),
      detail: DETAIL,
    },
  )
}

const DETAIL = {
  operationId: 'issueToken',
  summary: ENDPOINTS.auth['POST /auth/token'],
  tags: ['auth'],
  responses: describeAnswers(
    {
      schema: t.Object({ success: SUCCESS, token: TOKEN, email: EMAIL }),
      example: { success: true, token: EXAMPLE_TOKEN, email: EXAMPLE_EMAIL },
    },
    [
      ...BODY_REFUSALS,
      'invalid_email',
      'email_not_verified_to_log_in',
      'premium_required_to_log_in',
    ],
  ),
}
