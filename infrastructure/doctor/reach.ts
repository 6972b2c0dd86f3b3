import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { Draw, ProxyFacts } from '../../application/doctor/proxy.ts'
import type { Probe, ReachFacts } from '../../application/doctor/reach.ts'
import { type Route, type Visit, visit } from './http-probe.ts'

export type Reach = ReachFacts & {
  /** Null where there is no proxy to be looked at: the service, or what stands before it, does not answer. */
  readonly proxy: ProxyFacts | null
}

/** An address of this machine that nothing else comes from, so that a proxy here sees a visitor of its own. */
const OWN_VISITOR = '127.0.0.23'
const NO_NAME_SERVER: Probe = { kind: 'no_answer', trouble: 'unknown_name', code: 'EAI_AGAIN' }
const ADDRESSES_OF_ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Asks the service straight and by way of the address users reach, within `timeoutMs` for all of it, and tells from the
 * budgets that the requests draw on how a proxy in between passes its visitors on. Takes at most three places of the
 * general budget of each address.
 */
export async function examineReach({
  publicUrl,
  host,
  port,
  trustedProxies,
  forgedAddresses: [firstForged, secondForged],
  timeoutMs,
  lookUp = findAddresses,
}: {
  publicUrl: string | null
  host: string
  port: number
  trustedProxies: readonly string[]
  /** Those of nobody, and others each time. */
  forgedAddresses: readonly [string, string]
  timeoutMs: number
  lookUp?: (url: string) => Promise<readonly string[]>
}): Promise<Reach> {
  const signal = AbortSignal.timeout(timeoutMs)
  const localHost = ADDRESSES_OF_ALL[host] ?? host
  const localUrl = port === 0 ? null : `http://${hostOf(localHost)}:${port}`
  const ask = (url: string, path: string, way: Omit<Visit, 'url'> = {}) =>
    visit({ ...way, url: `${url}${path}` }, signal)

  // At once: name servers that keep silent say nothing of the service.
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

  const askDirectly = async () =>
    localUrl !== null && isReady(localAnswer) ? drawOf(await ask(localUrl, '/')) : null
  const askForged = (address: string) =>
    ask(publicUrl, '/', { route, headers: { 'x-forwarded-for': address } })
  const askForging = async (address: string) => drawOf(await askForged(address))

  const before = await askDirectly()
  const start = await askForged(firstForged)
  const first = drawOf(start)
  const second = await askForging(secondForged)
  const isSuspicious = first && second && second.remaining >= first.remaining
  const again = isSuspicious ? await askForging(firstForged) : null
  const after = await askDirectly()

  const isTrusted = trustReader(trustedProxies)
  return {
    ...reach,
    servedVersion: start.kind === 'answer' ? start.version : null,
    proxy: {
      direct: before && after ? { before, after } : null,
      forged: { first, second, again },
      // To reach itself, a machine comes from the very address it goes to.
      isVisitorDirect: route === null && addresses.includes(localHost),
      isVisitorTrusted: route ? isTrusted(route.from) : addresses.some(isTrusted),
      isLoopbackTrusted: isTrusted('127.0.0.1') || isTrusted('::1'),
    },
  }
}

function hostOf(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address
}

/** None for a name that is not known; the request itself will say why. */
async function findAddresses(url: string): Promise<readonly string[]> {
  const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '')
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}

/** Null where it takes too long: the system's own questions to name servers cannot be called off. */
async function unlessLate<Value>(
  asked: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | null> {
  const late = Promise.withResolvers<null>()
  signal.addEventListener('abort', () => late.resolve(null), { once: true })
  return Promise.race([asked, late.promise])
}

/** Null where the usual one will do: only on loopback a visitor looks like the proxy itself. */
function routeTo(addresses: readonly string[]): Route {
  // Elsewhere a machine has 127.0.0.1 alone, unless it is told otherwise.
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

function trustReader(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(prefix), family)
  }
  return (address) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
