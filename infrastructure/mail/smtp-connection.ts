import { withoutSecrets } from '../../application/error-report.ts'
import { ipVersionOf, isLoopback } from '../../domain/ip-address.ts'
import type { SmtpServer } from '../config/smtp-url.ts'

export type SmtpTarget = {
  readonly server: SmtpServer
  /** Where the service is, whose name the server is told. Null where that is not known: then it is this machine's. */
  readonly publicUrl: string | null
  /** In PEM, in place of the authorities that are known anyway. */
  readonly authority?: string | undefined
}

/** What nodemailer has to know of the server, but for the log-in. */
export function connectionOptions({ server, publicUrl, authority }: SmtpTarget, timeoutMs: number) {
  const { host, port, tls, credentials } = server
  // Within the machine nobody listens, and a mail server there has made its certificate itself.
  const isNear = isLoopback(host)
  return {
    host,
    port,
    secure: tls === 'first',
    ...(publicUrl === null ? {} : { name: greetingName(publicUrl) }),
    // A password goes over TLS. What a certificate does not hold for gets no mail, also where none has to be there.
    requireTLS: tls === 'required' || (credentials !== null && !isNear),
    opportunisticTLS: false,
    tls: {
      rejectUnauthorized: !isNear,
      minVersion: 'TLSv1.2' as const,
      ...(authority ? { ca: authority } : {}),
    },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // A silent server is not waited for to close its side.
    socketCloseTimeout: 0,
    logger: false,
  }
}

/** A name, or an address as RFC 5321, section 4.1.3, writes it. */
function greetingName(publicUrl: string): string {
  const { hostname } = new URL(publicUrl)
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return ipVersionOf(hostname) === 4 ? `[${hostname}]` : hostname
}

/** Where a mail was when something went wrong. */
export type SmtpStep = 'connect' | 'tls' | 'login' | 'sender' | 'recipient' | 'message'

/** A mail server did not do its part. `reason` has no secret, and no address. */
export type SmtpFailure = {
  readonly step: SmtpStep
  /** The server's answer, or null where there was none: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3 */
  readonly reply: { readonly status: number; readonly enhanced: string | null } | null
  readonly reason: string
}

const REASON_LENGTH_MAX = 200

/** Of what nodemailer throws. */
export function smtpFailure(error: unknown): SmtpFailure {
  const { code, originalCode, command, response, responseCode, message } = fieldsOf(error)
  const step = stepOf(`${command}`, code)
  const reply =
    typeof responseCode === 'number'
      ? {
          status: responseCode,
          enhanced: /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})/.exec(`${response}`)?.[1] ?? null,
        }
      : null
  const said = reply && step === 'login' ? reply.status : (response ?? message)
  const words = [step, originalCode ?? code, said].filter(Boolean).join(': ')
  // A server may quote what it was sent: an address, a code, or a log-in.
  const reason = withoutSecrets(words)
    .replace(/\S*@\S*|[0-9]{6,}|[\w+/=]{24,}/g, '[…]')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
  return { step, reply, reason }
}

function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error
    ? { ...error, message: error.message, code: Reflect.get(error, 'code') }
    : {}
}

function stepOf(command: string, code: unknown): SmtpStep {
  if (command.startsWith('AUTH') || code === 'EAUTH') return 'login'
  if (command === 'STARTTLS') return 'tls'
  if (command.startsWith('MAIL FROM')) return 'sender'
  if (command.startsWith('RCPT TO')) return 'recipient'
  return command === 'DATA' ? 'message' : 'connect'
}
