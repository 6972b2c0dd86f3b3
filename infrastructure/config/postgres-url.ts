import { SECOND_MS } from '../../domain/duration.ts'
import { ipVersionOf } from '../../domain/ip-address.ts'
import { matching, oneOf, wholeNumber } from './setting-formats.ts'
import type { SettingFormat } from './settings-source.ts'

/** How to reach a PostgreSQL, as libpq reads a URL: https://www.postgresql.org/docs/current/libpq-connect.html */
export type PostgresUrl = {
  readonly kind: 'postgres'
  /** A name, an address, or, with a slash in front, the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password: string | null
  readonly applicationName: string
  readonly tls: PostgresTls
  /** How long the server is waited for; 0 where only `timeoutMs` ends that. */
  readonly connectTimeoutMs: number
  /** For messages: user, host and database, but neither the password nor any parameter. */
  readonly shownUrl: string
}

/** Paths of PEM files, and what libpq means by `sslmode`. */
export type PostgresTls = {
  readonly mode: (typeof TLS_MODES)[number]
  /** Null, and `system`, stand for the certificate authorities of the system. */
  readonly rootCertificate: string | null
  /** What the server is shown; null where it asks for none. */
  readonly client: { readonly certificate: string; readonly key: string } | null
}

/** What is wrong with a URL of PostgreSQL: it follows the name of the setting, and tells nothing of the value. */
export type RefusedUrl = { readonly kind: 'refused'; readonly reason: string }

const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
/** The folder of PostgreSQL's socket in the packages of Debian, Fedora and Alpine. */
const SOCKET_FOLDER = '/var/run/postgresql'
const DEFAULT_PORT = 5432

const MALFORMED =
  'must be postgres://USER:PASSWORD@HOST:PORT/NAME, with %XX for each special character in a part'

const SEVERAL_HOSTS =
  'must name one host: for several servers, that of a proxy, or an address that moves'

const NAME = matching(/^\P{Cc}+$/u, 'a name')
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_.])?$/i

const PARAMETERS = {
  host: matching(/^\P{Cc}+$/u, 'a host, or the folder of a socket'),
  port: wholeNumber({ min: 1, max: 65_535 }),
  user: NAME,
  password: matching(/^\P{Cc}+$/u, 'a password'),
  dbname: NAME,
  sslmode: oneOf(TLS_MODES),
  sslrootcert: matching(/^\P{Cc}+$/u, 'the path of a file, or system'),
  sslcert: matching(/^\P{Cc}+$/u, 'the path of a file'),
  sslkey: matching(/^\P{Cc}+$/u, 'the path of a file'),
  channel_binding: oneOf(['disable', 'prefer', 'require']),
  application_name: matching(/^[ -~]{1,63}$/, 'up to 63 characters of ASCII'),
  connect_timeout: wholeNumber({ min: 0, max: 3600 }),
  target_session_attrs: oneOf(['any', 'read-write', 'primary']),
} satisfies Record<string, SettingFormat<unknown>>

type Parameter = keyof typeof PARAMETERS
type Given = Partial<Record<Parameter, string>>

// Why: docs/decisions.md#a-wrong-url-is-not-quoted
/** Undefined for any other URL. */
export function parsePostgresUrl(text: string): PostgresUrl | RefusedUrl | undefined {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/su.exec(text) ?? []
  if (rest === undefined) return undefined
  try {
    return read(split(rest))
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', reason: error.message }
    throw error
  }
}

class Refusal extends Error {}

/** What stands behind the scheme. As libpq does it: an @ after the first slash belongs to no password. */
function split(text: string): Given {
  const [, credentials, address = ''] = /^(?:([^@/]*)@)?(.*)$/su.exec(text) ?? []
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/su.exec(credentials ?? '') ?? []
  // What could be the rest of a password with a character that is not encoded must not be shown as a name.
  const parts = /^([^/?@\s]*)(?:\/([^/?@\s]*))?(?:\?([^\s]*))?$/u.exec(address)
  if (!parts) throw new Refusal(MALFORMED)
  const [, place = '', database = '', query = ''] = parts
  const own = Object.entries({ ...splitHost(place), user, password, dbname: database })
  const all = [...own.map(([name, value]) => [name, decoded(value)] as const), ...splitQuery(query)]
  return Object.fromEntries(all.filter(([, value]) => value !== ''))
}

/** An IPv6 address stands in brackets. */
function splitHost(text: string): { host: string; port: string } {
  if (text.includes(',')) throw new Refusal(SEVERAL_HOSTS)
  const parts = /^(?:\[([^[\]]+)\]|([^:[\]]*))(?::([0-9]*))?$/.exec(text)
  const [, address, name = '', port = ''] = parts ?? []
  const isRight = address === undefined || ipVersionOf(address) === 6
  if (!parts || !isRight) throw new Refusal(MALFORMED)
  return { host: address ?? name, port }
}

function splitQuery(text: string): [Parameter, string][] {
  if (text === '') return []
  return text.split('&').map((one) => {
    const [name = '', value, ...more] = one.split('=').map(decoded)
    if (value === undefined || more.length > 0) throw new Refusal(MALFORMED)
    // As libpq does it, for the sake of URLs that were written for JDBC.
    if (name === 'ssl' && value === 'true') return ['sslmode', 'require']
    if (!isParameter(name)) throw new Refusal(UNKNOWN_PARAMETER)
    return [name, value]
  })
}

const UNKNOWN_PARAMETER = `must have no other parameters than ${Object.keys(PARAMETERS).join(', ')}`

function isParameter(name: string): name is Parameter {
  return Object.hasOwn(PARAMETERS, name)
}

function decoded(text: string): string {
  try {
    const value = decodeURIComponent(text)
    if (!/\p{Cc}/u.test(value)) return value
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw new Refusal(MALFORMED)
}

function read(given: Given): PostgresUrl {
  const host = readHost(given)
  const port = parameter(given, 'port') ?? DEFAULT_PORT
  const user = parameter(given, 'user')
  if (user === undefined) throw new Refusal(`${MALFORMED}: it names no user`)
  const database = parameter(given, 'dbname') ?? user
  // Providers put it into the URLs that they hand out. Of one host it says nothing: Alibi writes in any case.
  parameter(given, 'target_session_attrs')
  const shownHost = ipVersionOf(host) === 6 ? `[${host}]` : encodeURIComponent(host)
  return {
    kind: 'postgres',
    host,
    port,
    user,
    database,
    password: parameter(given, 'password') ?? null,
    applicationName: parameter(given, 'application_name') ?? 'alibi',
    tls: readTls(given),
    connectTimeoutMs: (parameter(given, 'connect_timeout') ?? 0) * SECOND_MS,
    shownUrl: `postgres://${encodeURIComponent(user)}@${shownHost}:${port}/${encodeURIComponent(database)}`,
  }
}

type Value<Name extends Parameter> = Exclude<
  ReturnType<(typeof PARAMETERS)[Name]['parse']>,
  undefined
>

function parameter<Name extends Parameter>(given: Given, name: Name): Value<Name> | undefined {
  const text = given[name]
  if (text === undefined) return undefined
  const { parse, shape } = PARAMETERS[name]
  const value = parse(text)
  if (value === undefined) throw new Refusal(`must have ${shape} as ${name}`)
  return value as Value<Name>
}

function readHost(given: Given): string {
  const host = parameter(given, 'host') ?? SOCKET_FOLDER
  if (host.includes(',')) throw new Refusal(SEVERAL_HOSTS)
  if (isSocketFolder(host) || HOST_NAME.test(host) || ipVersionOf(host) !== 0) return host
  throw new Refusal(MALFORMED)
}

function readTls(given: Given): PostgresTls {
  const rootCertificate = parameter(given, 'sslrootcert') ?? null
  const isSystem = rootCertificate === 'system'
  const mode = parameter(given, 'sslmode') ?? (isSystem ? 'verify-full' : 'prefer')
  if (isSystem && mode !== 'verify-full') {
    throw new Refusal('must have verify-full as sslmode where sslrootcert is system')
  }
  // What it is for, a certificate that was checked gives as well.
  if (parameter(given, 'channel_binding') === 'require' && mode !== 'verify-full') {
    throw new Refusal('must have verify-full as sslmode where channel_binding is require')
  }
  const certificate = parameter(given, 'sslcert')
  const key = parameter(given, 'sslkey')
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Refusal('must have both sslcert and sslkey, or neither')
  }
  const client = certificate === undefined || key === undefined ? null : { certificate, key }
  return { mode, rootCertificate, client }
}

export function isSocketFolder(host: string): boolean {
  return host.startsWith('/')
}
