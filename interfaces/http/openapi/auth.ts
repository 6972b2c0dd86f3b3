import { t } from 'elysia'
import { linksTo } from './endpoints.ts'
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

/** The code that development mode answers; else it is in the mail. */
const MAILED_CODE = { email: '$request.body#/email', code: '$response.body#/devCode' }

const MAIL_ANSWER = {
  schema: t.Object({ success: SUCCESS, message: MESSAGE, devCode: t.Optional(DEV_CODE) }),
  example: { success: true, message: 'A one-time code was sent by email' },
  links: linksTo({
    confirmEmail: {
      description: 'Bring the code of the mail. In development mode the answer has it, too.',
      requestBody: MAILED_CODE,
    },
  }),
}
const MAIL_REFUSALS = [
  ...BODY_REFUSALS,
  'invalid_email',
  'too_many_mails',
  'mail_limit_reached',
  'email',
] as const
/** What a token is for. It is no parameter, so no link can carry it. */
const READS = {
  pickReason: { description: 'Read an excuse, with the `token` as the bearer token.' },
  readStrings: { description: 'Read translations, with the `token` as the bearer token.' },
}
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

export const AUTH = {
  verifyEmail: {
    description:
      'While a code lives that has at least half its life left, another request mails the same code again. An address ' +
      'gets a limited number of mails in a time, whoever asks for them. ' +
      WITH_TOKEN,
    security: TAKES_TOKEN,
    parameters: [ACCEPT_LANGUAGE],
    responses: describeAnswers(MAIL_ANSWER, MAIL_REFUSALS),
  },
  confirmEmail: {
    description:
      'A right code is used up, and makes the address verified for a while. A code that is wrong, expired, used or ' +
      'malformed gets the same answer. Too many wrong ones and the address has to wait. ' +
      WITH_TOKEN,
    security: TAKES_TOKEN,
    responses: describeAnswers(
      {
        schema: t.Object({
          success: SUCCESS,
          message: MESSAGE,
          email: EMAIL,
          token: t.Optional({ ...TOKEN, description: 'Where the address has premium already.' }),
          payment: t.Optional(
            t.Literal('processing', {
              description:
                'Where a payment waits, as far as is stored: /auth/token says whether there is nothing to buy.',
            }),
          ),
        }),
        example: { success: true, message: 'Email verified', email: EXAMPLE_EMAIL },
        links: linksTo({
          startCheckout: {
            description:
              'Buy, where there is no `token`. Add the `codeVerifier` to the `codeChallenge`.',
            requestBody: { email: '$response.body#/email' },
          },
          checkPremium: {
            description: 'Ask whether there is premium by now.',
            parameters: { email: '$response.body#/email' },
          },
          ...READS,
        }),
      },
      CODE_REFUSALS,
    ),
  },
  requestOtp: {
    description: `Use /auth/verify-email, which sends a code to any address. ${WITH_TOKEN}`,
    security: TAKES_TOKEN,
    parameters: [ACCEPT_LANGUAGE],
    responses: describeAnswers(MAIL_ANSWER, [...MAIL_REFUSALS, 'premium_required']),
  },
  logIn: {
    description:
      'Use /auth/confirm-email, which answers with a token, too. The code is judged, and used up, before premium is. ' +
      WITH_TOKEN,
    security: TAKES_TOKEN,
    responses: describeAnswers(
      {
        schema: t.Object({ success: SUCCESS, token: TOKEN, email: EMAIL }),
        example: { success: true, token: EXAMPLE_TOKEN, email: EXAMPLE_EMAIL },
        links: linksTo(READS),
      },
      [...CODE_REFUSALS, 'premium_required_to_log_in'],
    ),
  },
  logOut: {
    description: 'Needs no premium. A body is not read.',
    security: NEEDS_TOKEN,
    responses: describeAnswers(
      {
        schema: t.Object({ success: SUCCESS, message: MESSAGE }),
        example: { success: true, message: 'Logged out everywhere' },
      },
      ['missing_token', 'invalid_token', 'invalid_request', 'request_too_large'],
    ),
  },
  checkPremium: {
    description: 'Of an address that nobody knows it is false, too.',
    responses: describeAnswers(
      {
        schema: t.Object({ email: EMAIL, hasPremium: t.Boolean() }),
        example: { email: EXAMPLE_EMAIL, hasPremium: true },
      },
      ['invalid_email'],
    ),
  },
  issueToken: {
    description:
      'While the verification lasts that /auth/confirm-email made with a `codeChallenge`, whoever has the ' +
      '`codeVerifier` to it logs in, such as after paying. While money is on its way, such as that of a bank debit, the ' +
      'answer is 409; a voucher that nobody has paid is none.',
    responses: describeAnswers(
      {
        schema: t.Object({ success: SUCCESS, token: TOKEN, email: EMAIL }),
        example: { success: true, token: EXAMPLE_TOKEN, email: EXAMPLE_EMAIL },
        links: linksTo(READS),
      },
      [
        ...BODY_REFUSALS,
        'invalid_email',
        'email_not_verified_to_log_in',
        'premium_required_to_log_in',
        'payment_processing',
      ],
    ),
  },
}
