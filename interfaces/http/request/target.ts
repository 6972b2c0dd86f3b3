import { firstEntries, LIST_ENTRIES_MAX } from './header-list.ts'
import type { RequestRefusal } from './refusal.ts'

/** What a request asks for: a path of which there is one spelling only, or why it is refused. */
export type Target =
  | { readonly url: URL; readonly refusal: null }
  | { readonly url: null; readonly refusal: RequestRefusal }

/**
 * The parts between the slashes of a path as it was sent, but with percent signs read. Null where one of them is empty
 * or there are more than `SEGMENTS_MAX`, which no path of ours has.
 */
export type SentSegments = readonly string[] | null

export const SEGMENTS_MAX = 4

/** No path of ours is longer. */
export const PATH_LENGTH_MAX = 256

const QUERY_LENGTH_MAX = 2048
/** Has no more parameters than are read: each takes a character at least, and one before it. */
const SHORT_QUERY_LENGTH = 2 * LIST_ENTRIES_MAX

/** The routes see one and the same host: a hostile Host header could move where the path begins. */
export const ROUTED_ORIGIN = 'http://localhost'

/**
 * Reads a target. A path that resolving dots, backslashes or percent signs would change is not ours: a proxy in front
 * may have let it through as something else. `sent` is left out where the target is as it was sent.
 */
export function readTarget(target: string, sent?: SentSegments): Target {
  // Without a Host header, or with one that is none, there is only the path; HTTP/1.0 may do without.
  const url = URL.parse(target.startsWith('/') ? `${ROUTED_ORIGIN}${target}` : target)
  if (!url) return { url: null, refusal: 'invalid_request' }
  const isChanged = url.pathname.includes('%') || (sent !== undefined && isResolved(sent, url))
  if (isChanged) return { url: null, refusal: 'endpoint_not_found' }
  if (url.search.length > SHORT_QUERY_LENGTH) url.search = readableQuery(url.search)
  return { url, refusal: null }
}

/** The first parameters of a query, and of these only whole ones, in as many characters as any use of ours needs. */
function readableQuery(search: string): string {
  let room = QUERY_LENGTH_MAX
  const parameters = firstEntries(search.slice(1), '&').filter((parameter) => {
    if (parameter.length > room) return false
    room -= parameter.length
    return true
  })
  return parameters.join('&')
}

function isResolved(sent: SentSegments, { pathname }: URL): boolean {
  // What is short and whole now was not when it was sent.
  if (sent === null) return pathname === '/' || isShortAndWhole(pathname)
  return sent.some((segment) => segment === '.' || segment === '..' || segment.includes('\\'))
}

function isShortAndWhole(pathname: string): boolean {
  if (pathname.length > PATH_LENGTH_MAX) return false
  const segments = pathname.slice(1).split('/')
  return segments.length <= SEGMENTS_MAX && !segments.includes('')
}
