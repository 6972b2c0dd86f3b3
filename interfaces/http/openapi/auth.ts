import { t } from 'elysia'
import { describeOperation } from './endpoints.ts'
import {
  ACCEPT_LANGUAGE,
  DEV_CODE,
  EMAIL,
  EXAMPLE_EMAIL,
  EXAMPLE_TOKEN,
  MESSAGE,
  NEEDS_TOKEN,
  SUCCESS,
  TAKES_TOKEN,
  TOKEN,
} from './fields.ts'
import { BODY_REFUSALS, describeAnswers } from './responses.ts'

const MAIL_ANSWER = {
  schema: t.Object({ success: SUCCESS, message: MESSAGE, devCode: t.Optional(DEV_CODE) }),
  example: { success: true, message: 'A one-time code was sent by email' },
}
const MAIL_REFUSALS = [
  ...BODY_REFUSALS,
  'invalid_email',
  'too_many_mails',
  'mail_limit_reached',
  'email',
] as const
const CODE_REFUSALS = [
  ...BODY_REFUSALS,
  'invalid_email',
  'invalid_code',
  'too_many_wrong_codes',
] as const

/** Of the requests that ask for a code or bring one. */
const WITH_TOKEN =
  'A request may carry a token of this very address, also one that has expired. Its owner then has limits of their own, ' +
  'and the code is one that counts only in requests with such a token. Any other token is as none.'

/** `POST /auth/verify-email`, and so on: the document's part of each route. */
export const VERIFY_EMAIL = describeOperation('verifyEmail', {
  description:
    'While a code lives that has at least half its life left, another request mails the same code again. An address ' +
    'gets a limited number of mails in a time, whoever asks for them. ' +
    WITH_TOKEN,
  tags: ['auth'],
  security: TAKES_TOKEN,
  parameters: [ACCEPT_LANGUAGE],
  responses: describeAnswers(MAIL_ANSWER, MAIL_REFUSALS),
})

export const CONFIRM_EMAIL = describeOperation('confirmEmail', {
  description:
    'A right code is used up, and makes the address verified for a while. A code that is wrong, expired, used or ' +
    'malformed gets the same answer. Too many wrong ones and the address has to wait. ' +
    WITH_TOKEN,
  tags: ['auth'],
  security: TAKES_TOKEN,
  responses: describeAnswers(
    {
      schema: t.Object({
        success: SUCCESS,
        message: MESSAGE,
        email: EMAIL,
        token: t.Optional({ ...TOKEN, description: 'Where the address has premium already.' }),
      }),
      example: { success: true, message: 'Email verified', email: EXAMPLE_EMAIL },
    },
    CODE_REFUSALS,
  ),
})

export const REQUEST_OTP = describeOperation('requestOtp', {
  description: `Use /auth/verify-email, which sends a code to any address. ${WITH_TOKEN}`,
  tags: ['auth'],
  security: TAKES_TOKEN,
  parameters: [ACCEPT_LANGUAGE],
  responses: describeAnswers(MAIL_ANSWER, [...MAIL_REFUSALS, 'premium_required']),
})

export const LOG_IN = describeOperation('logIn', {
  description:
    'Use /auth/confirm-email, which answers with a token, too. The code is judged, and used up, before premium is. ' +
    WITH_TOKEN,
  tags: ['auth'],
  security: TAKES_TOKEN,
  responses: describeAnswers(
    {
      schema: t.Object({ success: SUCCESS, token: TOKEN, email: EMAIL }),
      example: { success: true, token: EXAMPLE_TOKEN, email: EXAMPLE_EMAIL },
    },
    [...CODE_REFUSALS, 'premium_required_to_log_in'],
  ),
})

export const LOG_OUT = describeOperation('logOut', {
  description: 'Needs no premium. A body is not read.',
  tags: ['auth'],
  security: NEEDS_TOKEN,
  responses: describeAnswers(
    {
      schema: t.Object({ success: SUCCESS, message: MESSAGE }),
      example: { success: true, message: 'Logged out everywhere' },
    },
    ['missing_token', 'invalid_token', 'invalid_request', 'request_too_large'],
  ),
})

export const CHECK = describeOperation('checkPremium', {
  tags: ['auth'],
  responses: describeAnswers(
    {
      schema: t.Object({ email: EMAIL, hasPremium: t.Boolean() }),
      example: { email: EXAMPLE_EMAIL, hasPremium: true },
    },
    ['invalid_email'],
  ),
})

export const ISSUE_TOKEN = describeOperation('issueToken', {
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
})
