import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { withoutSecrets } from '../../application/error-report.ts'
import { ipVersionOf, isLoopback } from '../../domain/ip-address.ts'
import type { SmtpServer } from '../config/smtp-url.ts'

/** A connection to a mail server over which mails go one after the other, logged in where that is asked for. */
export type SmtpSession = {
  isOpen(): boolean
  /** Null where it is in the clear; `validUntil` is the end of the server's certificate where that is judged. */
  readonly tls: { readonly version: string; readonly validUntil: Date | null } | null
  /** Throws `SmtpFailure`. */
  send(envelope: { readonly from: string; readonly to: string }, message: Buffer): Promise<void>
  /** Asks whether such a mail would be taken, and breaks the connection off before its first word. Throws as `send`. */
  tryEnvelope(envelope: { readonly from: string; readonly to: string }): Promise<void>
  /** Says good-bye, and ends the connection. */
  quit(): void
  /** Breaks off whatever is under way. */
  close(): void
}

/** Where a mail was when something went wrong. Before `message` the server has none of its words. */
export type SmtpStep = 'connect' | 'login' | 'envelope' | 'sender' | 'recipient' | 'message'

/** A mail server did not do its part. The message has no secret, and no address. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure'

  constructor(
    readonly step: SmtpStep,
    /** The server's answer, or null where there was none: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3 */
    readonly reply: { readonly status: number; readonly enhanced: string | null } | null,
    reason: string,
    /** Whether no password is sent because the connection has no TLS. */
    readonly isPlain = false,
  ) {
    super(reason)
  }
}

/** Whether a password may be sent: over TLS, and on the machine itself. */
export function maySendPassword(host: string, { isEncrypted }: { isEncrypted: boolean }): boolean {
  return isEncrypted || isLoopback(host)
}

export type SmtpTarget = {
  readonly server: SmtpServer
  /** Where the service is, whose name the server is told. Null where that is not known: then it is this machine's. */
  readonly publicUrl: string | null
  /** In PEM, in place of the authorities that are known anyway. */
  readonly authority?: string | undefined
}

/** Throws `SmtpFailure`; `signal` breaks the connecting off. */
export async function openSmtpSession(
  { server, publicUrl, authority }: SmtpTarget,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<SmtpSession> {
  const { host, port, isTlsFirst, credentials } = server
  // Within the machine nobody listens, and a mail server there has made its certificate itself.
  const isCertificateJudged = !isLoopback(host)
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection: SMTPConnection = new Connection({
    host,
    port,
    secure: isTlsFirst,
    ...(publicUrl === null ? {} : { name: greetingName(publicUrl) }),
    // What a certificate does not hold for gets no mail, also where STARTTLS was not asked for.
    opportunisticTLS: false,
    tls: {
      rejectUnauthorized: isCertificateJudged,
      minVersion: 'TLSv1.2',
      ...(authority ? { ca: authority } : {}),
    },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: IDLE_MAX_MS,
    logger: false,
  })
  let isOpen = true
  let fail = (_error: unknown) => {}
  connection.on('error', (error) => fail(error))
  connection.on('end', () => {
    isOpen = false
    fail(new Error('the connection was closed'))
  })
  const close = () => {
    isOpen = false
    connection.close()
    // nodemailer would wait for a silent server to close its side.
    if (connection._socket) connection._socket.destroy()
    fail(new Error('broken off'))
  }

  /** One step at a time: its answer, or the end of the connection. */
  function step(
    at: () => SmtpStep,
    begin: (done: (error?: unknown) => void) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => (error ? reject(failureAt(at(), error)) : resolve())
      fail = settle
      begin(settle)
    })
  }

  signal.addEventListener('abort', close, { once: true })
  try {
    signal.throwIfAborted()
    await step(
      () => 'connect',
      (done) => connection.connect(done),
    )
    if (credentials) {
      if (!maySendPassword(host, { isEncrypted: connection.secure })) {
        throw new SmtpFailure('login', null, 'it offers no TLS, and gets no password without', true)
      }
      const { user, password: pass } = credentials
      await step(
        () => 'login',
        (done) => connection.login({ user, pass }, done),
      )
    }
  } catch (error) {
    connection.close()
    throw error instanceof SmtpFailure ? error : failureAt('connect', error)
  } finally {
    signal.removeEventListener('abort', close)
  }

  return {
    isOpen: () => isOpen,
    tls: connection.secure ? tlsOf(connection._socket, { isCertificateJudged }) : null,
    async send({ from, to }, message) {
      const words = Readable.from([message])
      const envelope = { from, to: [to] }
      const begin = (done: (error?: unknown) => void) => connection.send(envelope, words, done)
      // Until the server asks for the words nobody reads them.
      await step(() => (words.readableDidRead ? 'message' : 'envelope'), begin)
    },
    async tryEnvelope({ from, to }) {
      const { promise: wanted, resolve } = Promise.withResolvers<void>()
      const words = new Readable({ read: () => resolve() })
      const begin = (done: (error?: unknown) => void) =>
        connection.send({ from, to: [to] }, words, done)
      await Promise.race([step(() => 'envelope', begin), wanted])
      close()
    },
    quit() {
      isOpen = false
      connection.quit()
    },
    close,
  }
}

/** A name, or an address as RFC 5321, section 4.1.3, writes it. */
function greetingName(publicUrl: string): string {
  const { hostname } = new URL(publicUrl)
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return ipVersionOf(hostname) === 4 ? `[${hostname}]` : hostname
}

function tlsOf(
  socket: unknown,
  { isCertificateJudged }: { isCertificateJudged: boolean },
): SmtpSession['tls'] {
  if (!(socket instanceof TLSSocket)) return { version: 'TLS', validUntil: null }
  const validUntil = new Date(socket.getPeerCertificate().valid_to)
  const isKnown = isCertificateJudged && !Number.isNaN(validUntil.getTime())
  return { version: socket.getProtocol() ?? 'TLS', validUntil: isKnown ? validUntil : null }
}

/** Longer than anybody waits: the callers have deadlines, and idle connections are ended by the pool. */
const IDLE_MAX_MS = 120_000
const REASON_LENGTH_MAX = 200

function failureAt(step: SmtpStep, error: unknown): SmtpFailure {
  const { code, originalCode, command, response, responseCode } = fieldsOf(error)
  const at = stepOf(step, String(command ?? ''), code)
  const reply =
    typeof responseCode === 'number'
      ? {
          status: responseCode,
          enhanced: /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})/.exec(`${response}`)?.[1] ?? null,
        }
      : null
  const reason =
    reply && at === 'login'
      ? `${reply.status}`
      : `${response ?? (error instanceof Error ? error.message : '')}`
  const words = [at, originalCode ?? code, reason].filter(
    (word) => typeof word === 'string' && word !== '',
  )
  return new SmtpFailure(at, reply, fitForLog(words.join(': ')))
}

function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error
    ? { ...error, message: error.message, code: Reflect.get(error, 'code') }
    : {}
}

function stepOf(step: SmtpStep, command: string, code: unknown): SmtpStep {
  if (command.startsWith('AUTH') || code === 'EAUTH') return 'login'
  if (command.startsWith('MAIL FROM')) return 'sender'
  if (command.startsWith('RCPT TO')) return 'recipient'
  return step
}

/** A server may quote what it was sent: an address, a code, or a log-in. */
function fitForLog(reason: string): string {
  return withoutSecrets(reason)
    .replace(/\S*@\S*|[0-9]{6,}|[\w+/=]{24,}/g, '[…]')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
}
