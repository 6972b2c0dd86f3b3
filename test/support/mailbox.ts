import { DAY_MS } from '../../domain/duration.ts'

/** A mail as Resend's API takes it. */
export type Mail = {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Record<string, string>
  /** The idempotency key that it came under. */
  readonly key: string | null
}

/**
 * What goes wrong with a mail. `down` refuses it; `hang` and `reset` do nothing with it and give no answer.
 * `taken_hang` and `taken_reset` send it, and only the answer is lost. A function answers in words of its own.
 */
export type MailFault =
  | 'down'
  | 'hang'
  | 'reset'
  | 'taken_hang'
  | 'taken_reset'
  | ((mail: Mail) => Response)

/** https://resend.com/docs/dashboard/emails/idempotency-keys */
const KEY_LIFETIME_MS = DAY_MS
const KEY_LENGTH_MAX = 256

/** A local server that takes mails as Resend does, and keeps them: also those that it then refuses. */
export function startMailbox({ clock = { now: () => new Date() } } = {}) {
  const mails: Mail[] = []
  const delivered: Mail[] = []
  const keys = new Set<string>()
  const faults: { fault: MailFault; left: number }[] = []
  const holds: { arrived(): void; released: Promise<void> }[] = []
  const domains: { name: string; status: string }[] = []
  const domainAnswers: (() => Response | Promise<Response>)[] = []
  let domainQuestions = 0
  let announced = (_status: number): Record<string, string> => ({})
  let judge = (_mail: Mail): Response | null => null
  const known = new Map<string, { body: string; at: Date; id: string | null }>()

  /** Once under each key, for as long as keys are remembered. */
  async function take(mail: Mail, body: string): Promise<Response> {
    const { key } = mail
    if (key === null) return Response.json({ id: await deliver(mail) })
    if (key === '' || key.length > KEY_LENGTH_MAX) return refusal(400, 'invalid_idempotency_key')

    const at = clock.now()
    const earlier = known.get(key)
    if (earlier && at.getTime() - earlier.at.getTime() < KEY_LIFETIME_MS) {
      if (earlier.id === null) return refusal(409, 'concurrent_idempotent_requests')
      if (earlier.body !== body) return refusal(409, 'invalid_idempotent_request')
      return Response.json({ id: earlier.id })
    }
    const entry: { body: string; at: Date; id: string | null } = { body, at, id: null }
    known.set(key, entry)
    entry.id = await deliver(mail)
    return Response.json({ id: entry.id })
  }

  async function deliver(mail: Mail): Promise<string> {
    const hold = holds.shift()
    hold?.arrived()
    await hold?.released
    delivered.push(mail)
    return crypto.randomUUID()
  }

  /** https://resend.com/docs/api-reference/domains/list-domains */
  function answerDomains(): Response | Promise<Response> {
    domainQuestions++
    const own = domainAnswers.shift()
    if (own) return own()
    const data = domains.map((domain) => ({ ...domain, id: domain.name, region: 'eu-west-1' }))
    return Response.json({ object: 'list', has_more: false, data })
  }

  function nextFault(): MailFault | null {
    const waiting = faults.find(({ left }) => left > 0)
    if (!waiting) return null
    waiting.left--
    return waiting.fault
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/domains') return answerDomains()
      if (pathname !== '/emails') return new Response(null, { status: 404 })
      const body = await request.text()
      const mail = readMail(body, request.headers.get('idempotency-key'))
      mails.push(mail)
      keys.add(request.headers.get('authorization') ?? 'none')

      const refused = judge(mail)
      const answer = refused ?? (await answerMail(mail, body))
      for (const [name, value] of Object.entries(announced(answer.status))) {
        answer.headers.set(name, value)
      }
      return answer
    },
  })

  async function answerMail(mail: Mail, body: string): Promise<Response> {
    const fault = nextFault()
    if (typeof fault === 'function') return fault(mail)
    if (fault === 'down') return refusal(500, 'internal_server_error')
    if (fault === 'hang' || fault === 'reset') return noAnswer(fault)
    const answer = await take(mail, body)
    if (fault === null) return answer
    return noAnswer(fault === 'taken_hang' ? 'hang' : 'reset')
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Every mail that came, whatever became of it. */
    mails,
    /** The mails that went on to their addresses: one for all that came under one key. */
    delivered,
    /** Every Authorization header that came. */
    keys,
    /** The domains that are known, and how far they are, such as `verified`. */
    domains,
    /** Answers the next question for domains in this way instead. */
    answerDomains: (answer: () => Response | Promise<Response>) => void domainAnswers.push(answer),
    /** How often the domains were asked for. */
    countDomainQuestions: () => domainQuestions,
    /** Spoils the next `times` mails; Infinity is until `clearFaults`. */
    fault(fault: MailFault, { times = 1 } = {}) {
      faults.push({ fault, left: times })
    },
    /** Puts headers on every answer to a mail, by its status. */
    announce(headers: typeof announced) {
      announced = headers
    },
    /** Refuses every mail for which there is an answer, and sends it nowhere. */
    judge(refuse: typeof judge) {
      judge = refuse
    },
    clearFaults() {
      faults.length = 0
    },
    /** Answers the next mail in this way instead. */
    refuse: (answer: (mail: Mail) => Response) => void faults.push({ fault: answer, left: 1 }),
    /** Keeps the next mail under way until `release` is called; `arrived` resolves once it is here. */
    hold() {
      const { promise: arrived, resolve } = Promise.withResolvers<void>()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      holds.push({ arrived: resolve, released })
      return { arrived, release }
    },
    /** The code in the latest mail to the address, from the subject that starts with it. */
    latestCode(address: string): string {
      const mail = mails.findLast(
        ({ to, subject }) => to === address && STARTS_WITH_CODE.test(subject),
      )
      const code = STARTS_WITH_CODE.exec(mail?.subject ?? '')?.[0]
      if (!code) throw new Error(`no code was mailed to ${address}`)
      return code
    },
    stop: () => server.stop(true),
  }
}

const STARTS_WITH_CODE = /^[0-9]{6}/

function readMail(body: string, key: string | null): Mail {
  const { to, ...rest } = JSON.parse(body) as Omit<Mail, 'to' | 'key'> & { to: string | string[] }
  return { ...rest, to: Array.isArray(to) ? to.join() : to, key }
}

/** As Resend says no: https://resend.com/docs/api-reference/errors */
export function refusal(statusCode: number, name: string, message = 'No.'): Response {
  return Response.json({ statusCode, name, message }, { status: statusCode })
}

function noAnswer(how: 'hang' | 'reset'): Response | Promise<Response> {
  if (how === 'hang') return new Promise<never>(() => {})
  // A body that fails before its first byte makes Bun cut the connection.
  return new Response(new ReadableStream({ pull: (stream) => stream.error() }))
}
