import type { TObject, TSchema, TString } from '@sinclair/typebox'
import { t } from 'elysia'
import { CODE_CHALLENGE, CODE_VERIFIER } from '../../../domain/code-challenge.ts'
import { NEEDS, SHORT_EXCUSE_MAX, type TagValues } from '../../../domain/excuse.ts'
import { LANGUAGES } from '../../../domain/language.ts'

/**
 * The rules of a text that the document says and no route checks: the domain does, and its refusals have words of their
 * own. In the document they stand in the schema itself.
 */
export const RULES = 'x-rules'

/** An address as a client sends it: the domain judges it, so that every fault of it gets the same answer. */
export const EMAIL_INPUT = t.String({
  description:
    'An ordinary address. Spaces around it and an internationalised domain are understood, too. Every answer carries ' +
    'it normalised.',
  examples: ['ada@example.com'],
  [RULES]: { format: 'email', minLength: 5, maxLength: 254 },
})
/** A code as a client sends it. */
export const CODE_INPUT = t.String({
  description:
    'The six digits of the one-time code. Digits of any script, spaces and hyphens are understood.',
  examples: ['012345'],
  // Of ASCII, what is no digit, space or hyphen is left out; \p{Nd} is not read by every language's expressions.
  [RULES]: { minLength: 6, maxLength: 64, pattern: '^[^!-,./:-~]*$' },
})
/** The secret of RFC 7636 as a client sends it. */
export const CODE_VERIFIER_INPUT = t.String({
  description:
    'What the `codeChallenge` given to /auth/confirm-email was made of: 43 to 128 of the characters A to Z, a to z, ' +
    '0 to 9, `-`, `.`, `_` and `~` (RFC 7636).',
  [RULES]: { pattern: CODE_VERIFIER.source },
})
/** What RFC 7636 makes of that secret, as a client sends it. */
export const CODE_CHALLENGE_INPUT = t.String({
  description:
    'The SHA-256 of a code verifier, in base64url (RFC 7636, method S256). While the verification lasts, only ' +
    'whoever has the verifier can open the payment page at /checkout, and log in at /auth/token.',
  [RULES]: { pattern: CODE_CHALLENGE.source },
})
/** A language as a client names it. */
export const LANG_INPUT = t.String({
  description:
    'A language tag, read by its primary subtag in any case (`pt-BR` is `pt`). One that is not spoken is `en`.',
  examples: ['fr'],
})

/** What an excuse can be asked for by. */
export function reasonChoiceInput({ occasion, to, tone }: TagValues) {
  return {
    occasion: describedText({
      description:
        'What it is for: to decline an invitation or a request, to cancel a plan, to be late, to leave early, to reply ' +
        'late to a message, or to have missed what is over.',
      enum: occasion,
      examples: ['late'],
    }),
    to: describedText({ description: 'Who reads it.', enum: to, examples: ['work'] }),
    tone: describedText({ description: 'How it says so.', enum: tone, examples: ['plain'] }),
    length: describedText({
      description: `Of at most ${SHORT_EXCUSE_MAX} characters (grapheme clusters).`,
      enum: ['short'],
      examples: ['short'],
    }),
    without: describedText({
      description:
        `What you do not have, separated by commas: leaves out excuses that suppose it, such as ${NEEDS.join(', ')}. ` +
        'A word that no excuse supposes leaves out nothing.',
      pattern: '^[a-z-]{1,32}(,[a-z-]{1,32}){0,9}$',
      examples: ['child,pet'],
    }),
  }
}

/**
 * A text whose rules are described here and not checked by a schema, because what is wrong with it is said only to
 * those who may ask.
 */
function describedText(words: {
  description: string
  enum?: readonly string[]
  pattern?: string
  examples?: readonly string[]
}) {
  return t.Optional(t.Any({ type: 'string', ...words }) as unknown as TString)
}

export const EMAIL = t.String({
  description: 'The address, normalised.',
  format: 'email',
  maxLength: 254,
  examples: ['ada@example.com'],
})
export const TOKEN = t.String({
  description: 'A bearer token (JWT).',
  minLength: 1,
  maxLength: 4096,
})
export const DEV_CODE = t.String({
  description: 'The code itself, in development mode only.',
  pattern: '^[0-9]{6}$',
  examples: ['012345'],
})
export const LANGUAGE = t.String({ enum: [...LANGUAGES] })
export const SUCCESS = t.Literal(true)
export const MESSAGE = t.String({ description: 'For people.', minLength: 1 })

export const EXAMPLE_EMAIL = 'ada@example.com'
export const EXAMPLE_CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const EXAMPLE_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhZGFAZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl'

/** Documents that a route takes no token. */
export const TAKES_NO_TOKEN = []

/** Documents that a route needs a token. */
export const NEEDS_TOKEN = [{ bearer: [] }]

/** Documents that a route takes a token and does without. */
export const TAKES_TOKEN = [{}, { bearer: [] }]

/** An object whose fields have any name. */
export function dictionary(value: TSchema): TObject {
  return t.Object({}, { additionalProperties: value })
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  description,
  schema: { type: 'string' as const },
  example,
})

export const ACCEPT_LANGUAGE = header(
  'Accept-Language',
  'Chooses the language where no `lang` does.',
  'fr-CH, fr;q=0.9, en;q=0.8',
)
export const IF_NONE_MATCH = header(
  'If-None-Match',
  'The ETag of what is known already; 304 when that is still so.',
  'W/"d11328a8a5dfd93"',
)
export const LANG_QUERY = {
  name: 'lang',
  in: 'query' as const,
  description: LANG_INPUT.description ?? '',
  schema: { type: 'string' as const },
  example: 'fr',
}
