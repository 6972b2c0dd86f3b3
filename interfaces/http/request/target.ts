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
  return isChanged ? { url: null, refusal: 'endpoint_not_found' } : { url, refusal: null }
}

function isResolved(sent: SentSegments, { pathname }: URL): boolean {
  // What is short and whole now was not when it was sent.
  if (sent === null) return pathname === '/' || isShortAndWhole(pathname.slice(1).split('/'))
  return sent.some((segment) => segment === '.' || segment === '..' || segment.includes('\\'))
}

function isShortAndWhole(segments: readonly string[]): boolean {
  return segments.length <= SEGMENTS_MAX && !segments.includes('')
}
