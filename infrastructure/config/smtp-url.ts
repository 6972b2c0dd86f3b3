import { ipVersionOf } from '../../domain/ip-address.ts'
import { wholeNumber } from './setting-formats.ts'
import type { SettingFormat } from './settings-source.ts'

/** A mail server, and how it is spoken to. */
export type SmtpServer = {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
  /** Before the first word (`smtps`), by STARTTLS (`smtp+tls`), or by STARTTLS where the server offers it (`smtp`). */
  readonly tls: 'first' | 'required' | 'offered'
  /** Null where nobody logs in. */
  readonly credentials: { readonly user: string; readonly password: string } | null
}

/** Submission with STARTTLS, and with TLS from the start: RFC 8314, section 3. */
const SCHEMES = {
  smtp: { tls: 'offered', defaultPort: 587 },
  'smtp+tls': { tls: 'required', defaultPort: 587 },
  smtps: { tls: 'first', defaultPort: 465 },
} as const

const PARTS =
  /^(smtp(?:s|\+tls)?):\/\/(?:([^:@/?#\s]+):([^@/?#\s]+)@)?(?:\[([0-9a-f:.]+)\]|([a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9])?))(?::([0-9]+))?\/?$/iu
const PORT = wholeNumber({ min: 1, max: 65_535 })

export const SMTP_URL: SettingFormat<SmtpServer | null> = {
  shape:
    'smtp://USER:PASSWORD@HOST:PORT, smtp+tls://… to want STARTTLS, or smtps://… for TLS from the start, with %XX for each special character in a part',
  parse(text) {
    const [, scheme = '', user, password, address, name, portText] = PARTS.exec(text) ?? []
    const host = address ?? name
    if (host === undefined || (address !== undefined && ipVersionOf(address) !== 6))
      return undefined
    const { tls, defaultPort } = SCHEMES[scheme.toLowerCase() as keyof typeof SCHEMES]
    const port = portText === undefined ? defaultPort : PORT.parse(portText)
    const credentials = readCredentials(user, password)
    if (port === undefined || credentials === undefined) return undefined
    return { host: host.toLowerCase(), port, tls, credentials }
  },
}

/** Undefined where they cannot be decoded. */
function readCredentials(
  user: string | undefined,
  password: string | undefined,
): SmtpServer['credentials'] | undefined {
  if (user === undefined || password === undefined) return null
  try {
    const credentials = { user: decodeURIComponent(user), password: decodeURIComponent(password) }
    return /\p{Cc}/u.test(credentials.user + credentials.password) ? undefined : credentials
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
