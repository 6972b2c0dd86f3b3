import { LANGUAGE_COOKIE } from '../pages/page-data.ts'
import { ACCEPT_LANGUAGE, LANG_QUERY } from './fields.ts'
import { HEADERS, type HeaderName, headerReferences, optionalHeaders } from './headers.ts'
import { COMMON_ERRORS, describeErrors, type ErrorResponse, type Responses } from './responses.ts'

const PAGE_HEADERS = [
  'Content-Language',
  'X-Robots-Tag',
  'Cross-Origin-Opener-Policy',
  'Permissions-Policy',
  'X-Frame-Options',
] as const satisfies readonly HeaderName[]

const PAGE_CONTENT = {
  'text/html': {
    schema: { type: 'string' as const, pattern: '^<!doctype html>' },
    example: '<!doctype html>\n<html lang="en" dir="ltr">\n…\n</html>\n',
  },
}

/** The parameters that choose the language of a page, in this order. */
export const PAGE_LANGUAGE_PARAMETERS = [
  LANG_QUERY,
  {
    name: LANGUAGE_COOKIE,
    in: 'cookie' as const,
    description: 'What the visitor has chosen on a page before.',
    schema: { type: 'string' as const },
    example: 'fr',
  },
  ACCEPT_LANGUAGE,
]

/**
 * The responses of an operation that answers with pages: each status with what its page says. Its other errors are
 * JSON.
 */
export function describePages(pages: Readonly<Record<number, string>>): Responses {
  const errors = describeErrors([...COMMON_ERRORS, 'too_many_requests'])
  const responses = Object.entries(pages).map(([status, description]) => {
    const page = describePage(description)
    const error = errors[status]
    return [status, error ? besideError(page, error) : page]
  })
  return { ...errors, ...Object.fromEntries(responses) }
}

/**
 * The responses of an operation with a page that browsers may cache. They ask again, and 304 says that it is unchanged.
 */
export function describeLastingPage(description: string, { mayBeIndexed = false } = {}): Responses {
  const page = describePage(description)
  const ownHeaders = mayBeIndexed ? optionalHeaders(['X-Robots-Tag']) : {}
  return describeLasting({ ...page, headers: { ...page.headers, ...ownHeaders } })
}

/** The same for text that is no page. */
export function describeLastingText({ description, content }: LastingText): Responses {
  const Vary = { ...HEADERS.Vary, required: true, example: 'Accept-Encoding' }
  return describeLasting({
    description,
    headers: { ...headerReferences(['Content-Encoding']), Vary },
    content,
  })
}

type LastingText = { readonly description: string; readonly content: LastingContent }
type LastingContent = Readonly<
  Record<string, { readonly schema: object; readonly example: unknown }>
>

function describeLasting(ok: LastingText & { readonly headers: object }): Responses {
  const headers = {
    ...ok.headers,
    ...headerReferences(['ETag']),
    'Cache-Control': {
      ...HEADERS['Cache-Control'],
      description: 'It may be kept, and is asked for again each time.',
      schema: { type: 'string' as const, enum: ['no-cache', 'public, no-cache'] },
    },
  }
  return {
    ...describeErrors(COMMON_ERRORS),
    200: { ...ok, headers },
    304: { description: 'Still the same as the one that If-None-Match names', headers },
  }
}

/** The answer where nothing is: who prefers text/html to application/json, and only reads, gets a page. */
export function describeNotFound() {
  const { 404: error } = describeErrors(['endpoint_not_found'])
  return error ? { 404: besideError(describePage('Nothing is here'), error) } : {}
}

type PageResponse = ReturnType<typeof describePage>

function describePage(description: string) {
  return {
    description,
    headers: {
      ...headerReferences([...PAGE_HEADERS, 'Content-Encoding']),
      Vary: { ...HEADERS.Vary, required: true, example: 'Accept-Language, Accept-Encoding' },
    },
    content: PAGE_CONTENT,
  }
}

/** Either of them: each brings its own headers along. */
function besideError(page: PageResponse, error: ErrorResponse) {
  return {
    description: `${page.description} · ${error.description}`,
    headers: {
      ...optionalHeaders(PAGE_HEADERS),
      ...headerReferences(['Content-Encoding', 'Vary']),
      ...error.headers,
    },
    content: { ...page.content, ...error.content },
  }
}
