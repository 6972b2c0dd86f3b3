import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { AUTHORITY, makeCertificates, OTHER_AUTHORITY } from './postgres/certificates.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

/** A mail as a mail server gets it. */
export type TakenMail = {
  readonly from: string
  readonly to: string
  /** The whole message. */
  readonly raw: string
  readonly isEncrypted: boolean
  /** The connection that it came over. */
  readonly session: string
  readonly user: string | null
  /** The name that the client gave itself. */
  readonly greeting: string
}

/** What the server says at a step. `hang` says nothing, `drop` closes the connection. */
export type SmtpFault = { readonly status: number; readonly words: string } | 'hang' | 'drop'

export type SmtpStage = 'connect' | 'login' | 'sender' | 'recipient' | 'message' | 'taken'

export const SMTP_LOGIN = { user: 'alibi@example.com', password: 'a p@ss:word/%' } as const

/** `authority` has signed the certificate, for `localhost`. */
export async function makeMailCertificates() {
  using folder = openTemporaryFolder()
  await makeCertificates(folder.path, 'localhost')
  const read = (name: string) => readFileSync(join(folder.path, name), 'utf8')
  return {
    authority: read(AUTHORITY),
    otherAuthority: read(OTHER_AUTHORITY),
    cert: read('server.pem'),
    key: read('server.key'),
  }
}

/** A real SMTP server on loopback, which keeps the mails that it takes and goes wrong when it is told to. */
export async function startSmtpDouble({
  tls = 'none',
  login = false,
  certificate,
  port: wantedPort = 0,
  connectionsMax = Number.POSITIVE_INFINITY,
}: {
  tls?: 'none' | 'starttls' | 'first'
  login?: boolean
  certificate?: { readonly cert: string; readonly key: string }
  port?: number
  /** It turns away who comes over one more. */
  connectionsMax?: number
} = {}) {
  const mails: TakenMail[] = []
  const faults = new Map<SmtpStage, { fault: SmtpFault; left: number }>()
  const seen = { connections: 0, logins: 0, open: 0, spoilt: 0 }
  const sockets = new Set<{ destroy(): void }>()
  /** The sessions that were not turned away. */
  const held = new Set<string>()

  /** Answers with the fault of the stage where it has one. */
  function at(stage: SmtpStage, answer: (error?: Error | null) => void, goOn: () => void): void {
    const spoilt = faults.get(stage)
    if (!spoilt || spoilt.left-- <= 0) {
      goOn()
      return
    }
    seen.spoilt++
    const { fault } = spoilt
    if (fault === 'hang') return
    if (fault === 'drop') {
      for (const socket of sockets) socket.destroy()
      return
    }
    answer(Object.assign(new Error(fault.words), { responseCode: fault.status }))
  }

  const server = new SMTPServer({
    secure: tls === 'first',
    ...(certificate ?? {}),
    authOptional: !login,
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect({ id }, answer) {
      seen.connections++
      if (held.size >= connectionsMax) {
        answer(Object.assign(new Error('4.7.0 Too many connections'), { responseCode: 421 }))
        return
      }
      held.add(id)
      at('connect', answer, answer)
    },
    onClose: ({ id }) => void held.delete(id),
    onAuth({ username, password }, _, answer) {
      seen.logins++
      at('login', answer, () => {
        const isRight = username === SMTP_LOGIN.user && password === SMTP_LOGIN.password
        if (isRight) answer(null, { user: username })
        else answer(Object.assign(new Error('5.7.8 no'), { responseCode: 535 }))
      })
    },
    onMailFrom: (_address, _session, answer) => at('sender', answer, answer),
    onRcptTo: (_address, _session, answer) => at('recipient', answer, answer),
    onData(stream, session, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () =>
        at('message', answer, () => {
          const { mailFrom, rcptTo } = session.envelope
          mails.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address).join(),
            raw: Buffer.concat(chunks).toString('utf8'),
            isEncrypted: session.secure,
            session: session.id,
            user: session.user === undefined ? null : String(session.user),
            greeting: session.hostNameAppearsAs,
          })
          at('taken', answer, answer)
        }),
      )
    },
  })
  // A client that breaks off is none of the server's faults.
  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    seen.open++
    socket.on('close', () => {
      sockets.delete(socket)
      seen.open--
    })
  })
  server.listen(wantedPort, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const scheme = tls === 'first' ? 'smtps' : 'smtp'
  const { user, password } = SMTP_LOGIN
  const credentials = login ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}@` : ''

  return {
    port,
    /** As SMTP_URL. */
    url: `${scheme}://${credentials}localhost:${port}`,
    /** Every mail that was taken, also those whose answer was lost. */
    mails,
    /** The code in the subject of the latest mail that has one: a confirmation may have come after it. */
    latestCode(): string {
      const subjects = mails.map((mail) => headerOf(mail, 'Subject') ?? '')
      const code = subjects.flatMap((subject) => /\b[0-9]{6}/.exec(subject) ?? []).at(-1)
      if (code === undefined) throw new Error('no mail has a code')
      return code
    },
    seen,
    /** Spoils a stage the next `times` times. */
    fault(stage: SmtpStage, fault: SmtpFault, { times = 1 } = {}) {
      faults.set(stage, { fault, left: times })
    },
    /** Closes every connection, as a server does with those that were idle for too long. */
    dropAll() {
      for (const socket of sockets) socket.destroy()
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** The value of a header of a message. */
export function headerOf({ raw }: Pick<TakenMail, 'raw'>, name: string): string | null {
  const head = raw.split('\r\n\r\n', 1)[0] ?? ''
  return new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(head)?.[1] ?? null
}

/** The HTML part of a message, decoded. */
export function decodedHtml(raw: string): string {
  const [, head = '', body = ''] =
    /(Content-Type: text\/html[\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--/i.exec(raw) ?? []
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8')
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
