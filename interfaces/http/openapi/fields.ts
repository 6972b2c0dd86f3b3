import { t } from 'elysia'
import { LANGUAGES } from '../../../domain/language.ts'

/** An address as a client sends it: the domain judges it, so that every fault of it gets the same answer. */
export const EMAIL_INPUT = t.String({
  description: 'An ordinary address. Every answer carries it normalised.',
  examples: ['ada@example.com'],
})
/** A code as a client sends it. */
export const CODE_INPUT = t.String({
  description:
    'The six digits of the one-time code. Digits of any script, spaces and hyphens are understood.',
  examples: ['012345'],
})
/** The secret of RFC 7636 as a client sends it. */
export const CODE_VERIFIER_INPUT = t.String({
  description:
    'What the `codeChallenge` given to /auth/confirm-email was made of: 43 to 128 of the characters A to Z, a to z, ' +
    '0 to 9, `-`, `.`, `_` and `~` (RFC 7636).',
})
/** A language as a client names it. */
export const LANG_INPUT = t.String({
  description:
    'A language tag, read by its primary subtag in any case (`pt-BR` is `pt`). One that is not spoken is `en`.',
  examples: ['fr'],
})

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

/** Documents that a route needs a token. */
export const NEEDS_TOKEN = [{ bearer: [] }]

/** Documents that a route takes a token and does without. */
export const TAKES_TOKEN = [{}, { bearer: [] }]

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
