import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Draw, ProxyFacts } from '../../application/doctor/proxy.ts'
import type { Probe, ReachFacts } from '../../application/doctor/reach.ts'
import { type ProbeRequest, probe, type Route } from './http-probe.ts'

export type Reach = ReachFacts & {
  /** Null where no proxy can be checked: the service, or the proxy before it, does not answer. */
  readonly proxy: ProxyFacts | null
}

/** An address of this machine that nothing else uses, so that a proxy here sees a separate visitor. */
const OWN_VISITOR = '127.0.0.23'
const NO_NAME_SERVER: Probe = { kind: 'no_answer', trouble: 'unknown_name', code: 'EAI_AGAIN' }
const ADDRESSES_OF_ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Asks the service directly and through the address users reach, within `timeoutMs` in all. Counts at most three times
 * against the general rate limit.
 */
export async function probeReach({
  publicUrl,
  host,
  port,
  isTrustedProxy,
  forgedAddresses,
  timeoutMs,
  lookUp = findAddresses,
}: {
  publicUrl: string | null
  host: string
  port: number
  isTrustedProxy: (address: string) => boolean
  /** Two addresses that no client has, different ones at each call. */
  forgedAddresses: readonly [string, string]
  timeoutMs: number
  lookUp?: (url: string) => Promise<readonly string[]>
}): Promise<Reach> {
  const signal = AbortSignal.timeout(timeoutMs)
  const localHost = ADDRESSES_OF_ALL[host] ?? host
  const localUrl = port === 0 ? null : `http://${hostOf(localHost)}:${port}`
  const ask = (url: string, path: string, way: Omit<ProbeRequest, 'url'> = {}) =>
    probe({ ...way, url: `${url}${path}` }, signal)

  // Begins before the names are looked up: silent name servers say nothing about the service.
  const askedDirectly = localUrl === null ? null : ask(localUrl, '/ready')
  const found = publicUrl === null ? [] : await unlessLate(lookUp(publicUrl), signal)
  const addresses = found ?? []
  const route = routeTo(addresses)
  const [localAnswer, publicAnswer] = await Promise.all([
    askedDirectly,
    publicUrl === null ? null : found ? ask(publicUrl, '/ready', { route }) : NO_NAME_SERVER,
  ])
  const reach = { publicUrl, publicAnswer, localUrl, localAnswer }
  if (publicUrl === null || !isReady(publicAnswer)) {
    return { ...reach, servedVersion: null, proxy: null }
  }

  const [firstForged, secondForged] = forgedAddresses
  const askForged = (address: string) =>
    ask(publicUrl, '/', { route, headers: { 'x-forwarded-for': address } })
  const start = await askForged(firstForged)
  const first = drawOf(start)
  const second = drawOf(await askForged(secondForged))
  const isOneBudget = !first || !second || second.remaining < first.remaining
  return {
    ...reach,
    servedVersion: start.kind === 'answer' ? start.version : null,
    proxy: {
      first,
      second,
      again: isOneBudget ? null : drawOf(await askForged(firstForged)),
      isVisitorTrusted: (route ? [route.from] : addresses).some(isTrustedProxy),
    },
  }
}

function hostOf(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address
}

/** Empty for an unknown name; the request itself will say why. */
async function findAddresses(url: string): Promise<readonly string[]> {
  const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '')
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}

/** Null where it takes too long: the system's own name lookups cannot be aborted. */
async function unlessLate<Value>(
  asked: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | null> {
  const late = Promise.withResolvers<null>()
  signal.addEventListener('abort', () => late.resolve(null), { once: true })
  return Promise.race([asked, late.promise])
}

/** Null where the usual route will do: only on loopback does a visitor look like the proxy itself. */
function routeTo(addresses: readonly string[]): Route {
  // Elsewhere a machine has 127.0.0.1 alone, unless it was set up otherwise.
  if (process.platform !== 'linux') return null
  const to = addresses.find((address) => address.startsWith('127.'))
  return to === undefined ? null : { from: OWN_VISITOR, to }
}

function isReady(probe: Probe | null): boolean {
  return probe?.kind === 'answer' && probe.isAlibi && probe.status === 200
}

function drawOf(probe: Probe): Draw {
  return probe.kind === 'answer' ? probe.draw : null
}
