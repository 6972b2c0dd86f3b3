import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import type { NetworkConfig } from '../config/network-settings.ts'
import { type NoAnswer, type Probe, type ProbeRequest, probe, type Route } from './http-probe.ts'

/** The subjects of the findings. */
export const REACH_SUBJECTS = ['service', 'public url', 'proxy'] as const

/** An address of this machine that nothing else uses, so that a proxy here sees a separate visitor. */
const OWN_VISITOR = '127.0.0.23'
const NO_NAME_SERVER: Probe = { kind: 'no_answer', trouble: 'unknown_name', code: 'EAI_AGAIN' }
const ADDRESSES_OF_ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Asks the service directly and through the address users reach, within `timeoutMs` in all. Counts at most twice
 * against the general rate limit.
 */
export async function checkReach(
  { publicUrl, host, port, isTrustedProxy }: NetworkConfig,
  {
    version,
    timeoutMs,
    lookUp = findAddresses,
  }: {
    version: string
    timeoutMs: number
    lookUp?: (url: string) => Promise<readonly string[]>
  },
): Promise<readonly Finding[]> {
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
  const [local, reached] = await Promise.all([
    askedDirectly,
    publicUrl === null ? null : found ? ask(publicUrl, '/ready', { route }) : NO_NAME_SERVER,
  ])
  const service = checkService(localUrl, local)
  if (publicUrl === null || !reached) {
    const unset = findingsOn('public url').skipped('PUBLIC_URL is not set')
    return [service, unset, NO_PROXY]
  }
  const way = checkPublicUrl(publicUrl, reached, { localUrl, local })
  if (!isReady(reached)) return [service, way, NO_PROXY]

  const askForged = () =>
    ask(publicUrl, '/', { route, headers: { 'x-forwarded-for': unusedAddress() } })
  const first = await askForged()
  const second = await askForged()
  const served = first.kind === 'answer' ? first.version : null
  return made(
    service,
    way,
    served !== null &&
      served !== version &&
      findingsOn('service').warning(
        `version ${served} serves, and this executable is ${version}`,
        'restart the service, or look which executable it starts',
      ),
    checkProxy(usedOf(first), usedOf(second), {
      isVisitorTrusted: (route ? [route.from] : addresses).some(isTrustedProxy),
    }),
  )
}

const NO_PROXY = findingsOn('proxy').skipped('what is behind PUBLIC_URL has to be ready first')

function checkService(url: string | null, probe: Probe | null): Finding {
  const { ok, skipped, warning, failed } = findingsOn('service')
  if (url === null || !probe) return skipped('PORT is 0, so that nobody knows where it listens')
  if (probe.kind === 'no_answer') {
    const { trouble, code } = probe
    if (trouble === 'refused') return warning(`nothing listens at ${url}`, 'start the service')
    const how = trouble === 'too_late' ? 'in time' : `as it should (${code})`
    return failed(`${url} does not answer ${how}`, 'look at the log of the service, restart it')
  }
  if (isReady(probe)) return ok(`ready at ${url}`)
  if (probe.isAlibi && probe.status === 503) {
    return failed(
      `not ready: ${url} answers ${probe.status}`,
      'look at the log of the service, and at the findings on the database and the disk',
    )
  }
  return failed(
    `what answers at ${url} is not Alibi (HTTP ${probe.status})`,
    'stop the other program, or set PORT to another port, in the proxy as well',
  )
}

function checkPublicUrl(
  url: string,
  probe: Probe,
  { localUrl, local }: { localUrl: string | null; local: Probe | null },
): Finding {
  const { ok, warning, failed } = findingsOn('public url')
  const target = localUrl ?? 'HOST and PORT'
  if (probe.kind === 'no_answer') return reportTrouble(url, probe)
  const { status, location, isAlibi } = probe
  if (isReady(probe)) {
    if (local?.kind !== 'no_answer' || local.trouble !== 'refused') {
      return ok(`${url} leads to the service, which is ready`)
    }
    return warning(
      `${url} leads to an Alibi that is ready, and not to ${target}, where nothing listens`,
      'see where the name and the proxy lead to, and that HOST and PORT are those of the service',
    )
  }
  if (isAlibi && status === 503) {
    return failed(`${url} leads to the service, which is not ready`, 'look at its log')
  }
  if (location !== null) {
    return failed(
      `${url} redirects to ${location}`,
      'set PUBLIC_URL to the address that answers by itself, or take the redirection away',
    )
  }
  if (status === 502 || status === 503 || status === 504) {
    return failed(
      `${url} leads to a proxy that does not reach the service (HTTP ${status})`,
      `see that the service runs, and that the proxy passes requests on to ${target}`,
    )
  }
  return failed(
    `what answers at ${url} is not Alibi (HTTP ${status})`,
    `see where the name leads to, and that the proxy passes requests for it on to ${target}`,
  )
}

function reportTrouble(url: string, { trouble, code }: NoAnswer): Finding {
  const [text, advice] = {
    unknown_name: [
      `the name in ${url} is not known`,
      'see that it has an A or AAAA record that leads to this machine, and look at /etc/resolv.conf',
    ],
    refused: [
      `nothing listens at ${url}`,
      'start the proxy, and see that the name leads to its machine',
    ],
    certificate: [
      `the certificate of ${url} does not hold`,
      'let the proxy get one for that very name from a public authority; Caddy does so by itself',
    ],
    no_tls: [`what answers at ${url} does not speak TLS`, 'let the proxy serve that port with TLS'],
    too_late: [
      `${url} does not answer in time`,
      'see that a firewall lets visitors in; where only this machine cannot reach it, look from another one',
    ],
    broken: [
      `${url} cannot be reached`,
      'see that the name leads to the machine of the proxy, and that a firewall lets visitors in',
    ],
  }[trouble] as [string, string]
  return findingsOn('public url').failed(`${text} (${code})`, advice)
}

/** Whether a visitor can choose the address that Alibi counts requests by: each one that was made up has a budget. */
function checkProxy(
  first: number | null,
  second: number | null,
  { isVisitorTrusted }: { isVisitorTrusted: boolean },
): Finding {
  const { ok, skipped, failed } = findingsOn('proxy')
  if (first === null || second === null) {
    return skipped(
      'no answer has a RateLimit: RATE_LIMIT_GENERAL is off, or the proxy takes the header away',
    )
  }
  if (first !== 1 || second !== 1) return ok('a forged X-Forwarded-For is not believed')
  // Such an address may forward any other.
  if (isVisitorTrusted) {
    return skipped('it cannot be told from this machine, whose address is in TRUSTED_PROXIES')
  }
  return failed(
    'whoever sends an X-Forwarded-For of their own is believed, and has a new budget each time',
    'let the proxy set the header itself (Caddy does; nginx: proxy_set_header X-Forwarded-For $remote_addr), and have nothing but proxies in TRUSTED_PROXIES',
  )
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

function isReady(probe: Probe): boolean {
  return probe.kind === 'answer' && probe.isAlibi && probe.status === 200
}

function usedOf(probe: Probe): number | null {
  return probe.kind === 'answer' ? probe.used : null
}

/** One of the 131,072 addresses that no machine on the internet has: 198.18.0.0/15, RFC 2544. */
function unusedAddress(): string {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1))
  return `198.${18 + (bits & 1)}.${(bits >> 8) & 0xff}.${(bits >> 16) & 0xff}`
}
