import { findListed } from '../paths.ts'
import { firstEntries, LIST_ENTRIES_MAX } from './header-list.ts'
import type { RequestRefusal } from './refusal.ts'

/** What a request asks for. */
export type Target = {
  /** The only spelling that the path has; empty where there is none. */
  readonly path: string
  /** With its question mark; empty where there is none. */
  readonly search: string
  /** Whether the routes would read the same out of the request as it came. */
  readonly isPlain: boolean
  /** Why the request is refused; null where it is not. */
  readonly refusal: RequestRefusal | null
}

/**
 * The parts between the slashes of a path as it was sent, but with percent signs read. Null where one of them is empty
 * or there are more than `SEGMENTS_MAX`, which no path of ours has.
 */
export type SentSegments = readonly string[] | null

export const SEGMENTS_MAX = 4

/** No path of ours is longer. */
export const PATH_LENGTH_MAX = 256

const QUERY_LENGTH_MAX = 2048
const MORE_PARAMETERS_THAN_ARE_READ = new RegExp(`^(?:[^&]*&){${LIST_ENTRIES_MAX}}`)

/** The routes see one and the same host: a hostile Host header could move where the path begins. */
export const ROUTED_ORIGIN = 'http://localhost'

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
/** No URL parser refuses these: the last part of a name is no number, and no part is Punycode. */
const PLAIN_HOST = `(?:(?:${OCTET}\\.){3}${OCTET}|(?![\\w.-]*[xX][nN]--)(?:[\\w-]+\\.)*[A-Za-z_-][\\w-]*)`
const PLAIN_PORT = '(?::(?:\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}))?'

/** `uri-host [ ":" port ]` (RFC 9110, section 7.2), empty too. Bun joins several lines by ", ", which has a space. */
const HOST = /^(?:\[[\dA-Fa-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})*)(?::\d*)?$/

const PLAIN_ORIGIN = new RegExp(`^http://${PLAIN_HOST}${PLAIN_PORT}$`)
const PLAIN_PATH = /^[^#%\\]*$/

/**
 * Reads a target. A path that resolving dots, backslashes or percent signs would change is not ours: a proxy in front
 * may have let it through as something else. `sent` is left out where the target is as it was sent.
 */
export function readTarget(target: string, sent?: SentSegments): Target {
  if (sent === undefined) {
    const plain = readPlainTarget(target)
    if (plain) return plain
  }
  // Without a Host header, or with one that is none, there is only the path; HTTP/1.0 may do without.
  const url = URL.parse(target.startsWith('/') ? `${ROUTED_ORIGIN}${target}` : target)
  if (!url) return refused('invalid_request')
  const { pathname, search } = url
  const isChanged = pathname.includes('%') || (sent !== undefined && isResolved(sent, pathname))
  if (isChanged) return refused('endpoint_not_found')
  return accepted(pathname, isReadable(search) ? search : readableQuery(search), false)
}

/** What a request asks for whose Host header is not one host: nobody can say. */
export const NO_TARGET: Target = refused('invalid_request')

/** Nearly all requests name the same. */
let latestHost: string | null = null

/**
 * Whether the request names at most one host. Where it names none, it is of HTTP/1.0, or has not come over the network:
 * Bun refuses any other.
 */
export function hasOneHost(headers: Headers): boolean {
  const host = headers.get('host')
  if (host === null || host === latestHost) return true
  if (!HOST.test(host)) return false
  latestHost = host
  return true
}

/** That of a URL whose parts are where the routes look for them, with a path that has nothing to resolve; else null. */
function readPlainTarget(url: string): Target | null {
  const pathStart = url.indexOf('/', 'http://'.length)
  if (pathStart === -1 || !isPlainOrigin(url.slice(0, pathStart))) return null
  const queryStart = url.indexOf('?', pathStart)
  const path = url.slice(pathStart, queryStart === -1 ? undefined : queryStart)
  const search = queryStart === -1 ? '' : url.slice(queryStart)
  const listed = findListed(path)
  const isPlain = (listed !== undefined || PLAIN_PATH.test(path)) && !search.includes('#')
  return isPlain && isReadable(search) ? accepted(listed ?? path, search, true) : null
}

/** Nearly all requests name the same. */
let latestPlainOrigin = ''

function isPlainOrigin(origin: string): boolean {
  if (origin === latestPlainOrigin) return true
  if (!PLAIN_ORIGIN.test(origin)) return false
  latestPlainOrigin = origin
  return true
}

function accepted(path: string, search: string, isPlain: boolean): Target {
  const refusal = path.length > PATH_LENGTH_MAX ? 'endpoint_not_found' : null
  return { path, search, isPlain, refusal }
}

function refused(refusal: RequestRefusal): Target {
  return { path: '', search: '', isPlain: false, refusal }
}

/** Whether all of a query is read. */
function isReadable(search: string): boolean {
  if (search.length <= LIST_ENTRIES_MAX) return true
  return search.length <= QUERY_LENGTH_MAX && !MORE_PARAMETERS_THAN_ARE_READ.test(search)
}

/** The first parameters of a query, and of these only whole ones, in as many characters as any use of ours needs. */
function readableQuery(search: string): string {
  let room = QUERY_LENGTH_MAX
  const parameters = firstEntries(search.slice(1), '&').filter((parameter) => {
    if (parameter.length > room) return false
    room -= parameter.length
    return true
  })
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}

function isResolved(sent: SentSegments, path: string): boolean {
  // What is short and whole now was not when it was sent.
  if (sent === null) return path === '/' || isShortAndWhole(path)
  return sent.some((segment) => segment === '.' || segment === '..' || segment.includes('\\'))
}

function isShortAndWhole(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX) return false
  const segments = path.slice(1).split('/')
  return segments.length <= SEGMENTS_MAX && !segments.includes('')
}
