import { networkOf } from '../../domain/client-network.ts'
import { ipVersionOf, isLoopback } from '../../domain/ip-address.ts'
import { ANY_WEB_ORIGIN, parseBrowserOrigin, SECURE_ORIGIN } from './origins.ts'
import { listOf, SWITCH, wholeNumber } from './setting-formats.ts'
import type { AppEnvironment, SettingFormat, SettingsSource } from './settings-source.ts'

export type ListenAddress = { readonly host: string; readonly port: number }

export type NetworkConfig = ListenAddress & {
  /** The origin users reach. Null in development where none is set: then it follows from the port. */
  readonly publicUrl: string | null
  /** Whether search engines may list the page that sells. */
  readonly isIndexed: boolean
  readonly corsOrigins: '*' | readonly string[]
  /** Addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[]
  /** Whether the X-Forwarded-For that comes from this address, IPv4 or IPv6, is believed. */
  readonly isTrustedProxy: AddressTest
}

type AddressTest = (address: string) => boolean

const HOST_NAME =
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

const HOST: SettingFormat<string> = {
  shape: 'an address or host name to listen on, such as 127.0.0.1, ::1 or 0.0.0.0',
  parse: (text) => (ipVersionOf(text) || isHostName(text) ? text : undefined),
}

const PORT = wholeNumber({ min: 0, max: 65_535 })

const CORS_ORIGINS_SHAPE =
  '* or comma-separated origins, such as https://example.com,chrome-extension://ID'
const BROWSER_ORIGINS = listOf(parseBrowserOrigin, CORS_ORIGINS_SHAPE)
const CORS_ORIGINS: SettingFormat<'*' | readonly string[]> = {
  shape: CORS_ORIGINS_SHAPE,
  parse: (text) => (text === '*' ? '*' : BROWSER_ORIGINS.parse(text)),
}

const PROXIES = listOf(
  parseAddressBlock,
  'comma-separated addresses or CIDR blocks, such as 127.0.0.1,10.0.0.0/8,fd00::/8',
)

export function readListenAddress(settings: SettingsSource): ListenAddress {
  return {
    host: settings.read('HOST', HOST, '127.0.0.1'),
    port: settings.read('PORT', PORT, 3000),
  }
}

export function readMetricsPort(
  settings: SettingsSource,
  { port }: Pick<ListenAddress, 'port'>,
): number | null {
  const metricsPort = settings.read<number | null>('METRICS_PORT', PORT, null)
  if (metricsPort === null || metricsPort === 0 || metricsPort !== port) return metricsPort
  settings.report('METRICS_PORT must be another port than PORT, which everybody reaches')
  return null
}

export function readNetwork(settings: SettingsSource, environment: AppEnvironment): NetworkConfig {
  const address = readListenAddress(settings)
  const publicUrl =
    environment === 'production'
      ? settings.require<string | null>('PUBLIC_URL', SECURE_ORIGIN, null)
      : settings.read<string | null>('PUBLIC_URL', ANY_WEB_ORIGIN, null)
  const mayBePublic = settings.read('ALLOW_PUBLIC_DEVELOPMENT', SWITCH, false)
  if (environment === 'development' && !mayBePublic) {
    refusePublic(settings, { ...address, publicUrl })
  }
  const network = {
    ...address,
    publicUrl,
    isIndexed: settings.read('INDEXING', SWITCH, true),
    corsOrigins: settings.read<NetworkConfig['corsOrigins']>('CORS_ORIGINS', CORS_ORIGINS, '*'),
    trustedProxies: settings.read<readonly string[]>('TRUSTED_PROXIES', PROXIES, []),
  }
  return { ...network, isTrustedProxy: addressTest(network.trustedProxies) }
}

/** Development answers everybody who asks with the code of any address. */
function refusePublic(
  settings: SettingsSource,
  { host, publicUrl }: Pick<NetworkConfig, 'host' | 'publicUrl'>,
): void {
  const unless = 'in development, unless ALLOW_PUBLIC_DEVELOPMENT=on lets everybody see codes'
  if (!isOwnMachine(`http://${ipVersionOf(host) === 6 ? `[${host}]` : host}`)) {
    settings.report(`HOST must be on loopback, such as 127.0.0.1, ${unless}`)
  }
  if (publicUrl !== null && !isOwnMachine(publicUrl)) {
    settings.report(`PUBLIC_URL must be on loopback, such as http://localhost:3000, ${unless}`)
  }
}

/** The URL parser writes names in lower case, and addresses in their shortest form. */
const isOwnMachine = (url: string) => isLoopback(URL.parse(url)?.hostname ?? '')

/** A name whose last label is a number is a mistyped address. */
function isHostName(text: string): boolean {
  return text.length <= 253 && HOST_NAME.test(text) && !/(?:^|\.)[0-9]+$/.test(text)
}

function parseAddressBlock(text: string): string | undefined {
  const [, address = '', prefix = '0'] = /^([0-9a-f.:]+)(?:\/([0-9]{1,3}))?$/i.exec(text) ?? []
  const version = ipVersionOf(address)
  return version !== 0 && Number(prefix) <= bitsOf(version) ? text : undefined
}

const bitsOf = (version: ReturnType<typeof ipVersionOf>) => (version === 4 ? 32 : 128)

/** Whether an address is one of these addresses, or in one of these CIDR blocks. Throws for any other entry. */
export function addressTest(entries: readonly string[]): AddressTest {
  if (entries.length === 0) return isNone
  const tests = entries.map(blockTest)
  return (address) => tests.some((isInBlock) => isInBlock(address))
}

const isNone: AddressTest = () => false

/** IPv4 counts as mapped into IPv6, whichever way an address or a block is written. */
function blockTest(entry: string): AddressTest {
  if (parseAddressBlock(entry) === undefined) {
    throw new Error(`${entry} is neither an address nor a CIDR block`)
  }
  const [address = '', prefix] = entry.split('/')
  const bits = bitsOf(ipVersionOf(address))
  const size = { ipv4: 0, ipv6: 128 - bits + Number(prefix ?? bits) }
  const block = networkOf(mapped(address), size)
  return (tested) => networkOf(mapped(tested), size) === block
}

const mapped = (address: string) => (address.includes(':') ? address : `::ffff:${address}`)
