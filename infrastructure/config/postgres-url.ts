import { SECOND_MS } from '../../domain/duration.ts'
import { ipVersionOf } from '../../domain/ip-address.ts'
import { matching, oneOf, wholeNumber } from './setting-formats.ts'
import type { SettingFormat } from './settings-source.ts'

/** How to reach a PostgreSQL, as libpq reads a URL: https://www.postgresql.org/docs/current/libpq-connect.html */
export type PostgresUrl = {
  readonly kind: 'postgres'
  /** At least one; several are tried in this order, until one takes writes. */
  readonly hosts: readonly PostgresHost[]
  readonly user: string
  readonly database: string
  readonly password: string | null
  readonly applicationName: string
  readonly tls: PostgresTls
  /** How long one host is waited for; null where only `timeoutMs` ends that. */
  readonly connectTimeoutMs: number | null
  /** For messages: user, hosts and database, but neither the password nor any parameter. */
  readonly shownUrl: string
}

/** `host` is a name, an address, or, with a slash in front, the folder of a Unix socket. */
export type PostgresHost = { readonly host: string; readonly port: number }

/** Paths of PEM files, and what libpq means by `sslmode`. */
export type PostgresTls = {
  readonly mode: (typeof TLS_MODES)[number]
  /** Null, and `system`, stand for the certificate authorities of the system. */
  readonly rootCertificate: string | null
  /** What the server is shown; null where it asks for none. */
  readonly client: { readonly certificate: string; readonly key: string } | null
  /** Whether the log-in has to be bound to the server's certificate. */
  readonly isBindingRequired: boolean
}

/** What is wrong with a URL of PostgreSQL: it follows the name of the setting, and tells nothing of the value. */
export type RefusedUrl = { readonly kind: 'refused'; readonly reason: string }

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
/** The folder of PostgreSQL's socket in the packages of Debian, Fedora and Alpine. */
const SOCKET_FOLDER = '/var/run/postgresql'
const DEFAULT_PORT = 5432

const MALFORMED =
  'must be postgres://USER:PASSWORD@HOST:PORT/NAME, with %XX for each special character in a part'

const NAME = matching(/^\P{Cc}+$/u, 'a name')
const PORT = wholeNumber({ min: 1, max: 65_535 })
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_.])?$/i
const SOCKET_PATH = /^\/\P{Cc}*$/u

const PARAMETERS = {
  host: matching(/^\P{Cc}+$/u, 'hosts, or folders of sockets'),
  port: matching(/^[0-9,]+$/, 'a port'),
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
  const [, hosts = '', database = '', query = ''] = parts
  const { host, port } = splitHosts(hosts)
  const given = { host, port, user, password, dbname: database }
  const own = Object.entries(given).map(([name, value]) => [name, decoded(value)] as const)
  const all = [...own, ...splitQuery(query)].filter(([, value]) => value !== '')
  return Object.fromEntries(all)
}

/** Several are separated by commas, and an IPv6 address stands in brackets. */
function splitHosts(text: string): { host: string; port: string } {
  const hosts = text.split(',').map((one) => {
    const parts = /^(?:\[([^[\]]+)\]|([^:[\]]*))(?::([0-9]*))?$/.exec(one)
    const [, address, name = '', port = ''] = parts ?? []
    const isRight = address === undefined || ipVersionOf(address) === 6
    if (!parts || !isRight) throw new Refusal(MALFORMED)
    return { host: address ?? name, port }
  })
  const isAnyPort = hosts.some(({ port }) => port !== '')
  return {
    host: hosts.map(({ host }) => host).join(','),
    port: isAnyPort ? hosts.map(({ port }) => port).join(',') : '',
  }
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
  const hosts = readHosts(given)
  const user = parameter(given, 'user')
  if (user === undefined) throw new Refusal(`${MALFORMED}: it names no user`)
  const database = parameter(given, 'dbname') ?? user
  const connectSeconds = parameter(given, 'connect_timeout') ?? 0
  // Alibi writes, so that of several hosts it takes one that does, in any case.
  parameter(given, 'target_session_attrs')
  return {
    kind: 'postgres',
    hosts,
    user,
    database,
    password: parameter(given, 'password') ?? null,
    applicationName: parameter(given, 'application_name') ?? 'alibi',
    tls: readTls(given),
    connectTimeoutMs: connectSeconds === 0 ? null : connectSeconds * SECOND_MS,
    shownUrl: `postgres://${encodeURIComponent(user)}@${hosts.map(shown).join(',')}/${encodeURIComponent(database)}`,
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

function readHosts(given: Given): PostgresHost[] {
  const names = (parameter(given, 'host') ?? SOCKET_FOLDER).split(',')
  const ports = (parameter(given, 'port') ?? '').split(',')
  if (ports.length > 1 && ports.length !== names.length) {
    throw new Refusal('must have one port, or as many as hosts')
  }
  return names.map((name, at) => {
    const host = name === '' ? SOCKET_FOLDER : name
    const text = (ports.length > 1 ? ports[at] : ports[0]) || String(DEFAULT_PORT)
    const port = PORT.parse(text)
    const isHost = SOCKET_PATH.test(host) || HOST_NAME.test(host) || ipVersionOf(host) !== 0
    if (!isHost || port === undefined) throw new Refusal(MALFORMED)
    return { host, port }
  })
}

function readTls(given: Given): PostgresTls {
  const rootCertificate = parameter(given, 'sslrootcert') ?? null
  const isSystem = rootCertificate === 'system'
  const mode = parameter(given, 'sslmode') ?? (isSystem ? 'verify-full' : 'prefer')
  if (isSystem && mode !== 'verify-full') {
    throw new Refusal('must have verify-full as sslmode where sslrootcert is system')
  }
  const certificate = parameter(given, 'sslcert')
  const key = parameter(given, 'sslkey')
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Refusal('must have both sslcert and sslkey, or neither')
  }
  const client = certificate === undefined || key === undefined ? null : { certificate, key }
  const isBindingRequired = parameter(given, 'channel_binding') === 'require'
  return { mode, rootCertificate, client, isBindingRequired }
}

function shown({ host, port }: PostgresHost): string {
  const name = ipVersionOf(host) === 6 ? `[${host}]` : encodeURIComponent(host)
  return `${name}:${port}`
}
