import type { Mailer, Ports } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { FIRST_EPOCH } from '../../../domain/log-out.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { type Answer, sendingPace } from '../../../infrastructure/mail/sending-pace.ts'
import { sessionQuestionGate } from '../../../infrastructure/rate-limit/session-question-gate.ts'
import { hmacSecrets } from '../../../infrastructure/secrets/hmac-secrets.ts'
import { jwtTokens } from '../../../infrastructure/secrets/jwt-tokens.ts'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { createHandler } from '../../../interfaces/http/handler.ts'
import { fakePorts, NOON, ORIGIN } from '../fakes.ts'
import { unlimitedOptions } from '../http/http-options.ts'
import { promisedLimits } from '../service/real-service.ts'
import { PUBLIC_URL } from '../stripe/payment-gateways.ts'
import type { AttackSize } from './attack-day.ts'
import type { Sent } from './attackers.ts'
import { customersOf, emailOf } from './customers.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

const LOOPBACK = '127.0.0.1'
const SECRET = 'a secret that is long enough to sign with'
/** How long a token counts here, and how old that of a customer is who has not come for a while. */
const TOKEN_LIFETIME_MS = 30 * DAY_MS
const EXPIRED_AGE_MS = 40 * DAY_MS
/** What a mail provider takes from a team, and how long a mail waits for its turn. */
const MAILS_A_SECOND = 5
const MAIL_TIMEOUT_MS = 10 * SECOND_MS

export type AttackedService = Awaited<ReturnType<typeof openAttackedService>>

/**
 * The service with the limits that it has by default, on a database file, under a clock that the program moves. Its
 * mail provider takes five mails a second, its payment provider is a scripted one.
 */
export async function openAttackedService({ path, size }: { path: string; size: AttackSize }) {
  const time = virtualTime(NOON)
  const { clock } = time
  const { monotonicMs } = time.timers
  const codes = new Map<string, string>()
  const mailed: string[] = []
  const base = fakePorts()
  const { payments, notifications } = base
  const mailer = pacedMailer(time, (to, code) => {
    codes.set(to, code)
    mailed.push(to)
  })
  const store = openSqliteStore(path)
  const ports: Ports = {
    ...base,
    ...store,
    clock,
    mailer,
    // Every notification has a head that may be right, so that its body is read.
    notifications: { ...notifications, checkSignatureHeader() {} },
    content: builtInContent(),
    secrets: hmacSecrets({ secret: SECRET }),
    tokens: jwtTokens({
      secret: SECRET,
      previousSecret: null,
      issuer: PUBLIC_URL,
      lifetimeMs: TOKEN_LIFETIME_MS,
    }),
    sessionQuestions: sessionQuestionGate({ monotonicMs }),
    rules: {
      ...base.rules,
      tokenLifetimeMs: TOKEN_LIFETIME_MS,
      mailLimit: { limit: 300, windowMs: HOUR_MS },
    },
    log() {},
    telemetry: { record() {} },
  }
  const handler = createHandler({
    ...unlimitedOptions(ports),
    limiters: promisedLimits(clock),
    isTrustedProxy: (address) => address === LOOPBACK,
    monotonicMs,
  })
  const oldTokens = await sellBefore(ports, size)

  async function send({ method, path, peer, body, token }: Sent) {
    const headers = {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    }
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const response = await handler(request, () => peer)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson ? JSON.parse(text) : {} }
  }

  return {
    time,
    handler,
    send,
    oldTokens,
    codeFor: (email: string) => codes.get(email) ?? '000000',
    mailed: () => mailed,
    /** The buyer pays, and the provider says so. */
    async pay(sessionId: string): Promise<void> {
      const report = payments.move(sessionId, 'paid')
      const event = { kind: 'session', report, eventId: `evt_${sessionId}`, eventType: 'paid' }
      const request = new Request('http://localhost/webhook/stripe', {
        method: 'POST',
        headers: { 'stripe-signature': 'valid' },
        body: JSON.stringify(event),
      })
      const { status } = await handler(request, () => LOOPBACK)
      if (status !== 200) throw new Error(`the webhook answered ${status}`)
    },
    close: store.close,
  }
}

/** Each old customer has bought some time ago, and has the token from then. */
async function sellBefore(ports: Ports, size: AttackSize): Promise<Map<string, string>> {
  const oldTokens = new Map<string, string>()
  for (const customer of customersOf(size)) {
    if (!customer.isOld) continue
    const email = parseEmail(emailOf(customer))
    await ports.premiumGrants.add({ id: `grant_${customer.index}`, email }, ORIGIN)
    const ageMs = customer.hasExpiredToken ? EXPIRED_AGE_MS : DAY_MS
    const now = new Date(ports.clock.now().getTime() - ageMs)
    oldTokens.set(email, await ports.tokens.issue(email, { now, epoch: FIRST_EPOCH }))
  }
  return oldTokens
}

/** A provider that takes so many mails a second and says so, at the pace of production. */
function pacedMailer(
  { timers, whileWaiting }: VirtualTime,
  deliver: (to: string, code: string) => void,
): Mailer {
  const pace = sendingPace({ timers, timeoutMs: MAIL_TIMEOUT_MS })
  const limit = { count: MAILS_A_SECOND, windowMs: SECOND_MS }
  let takenMs: number[] = []

  function take(): Answer {
    const now = timers.monotonicMs()
    takenMs = takenMs.filter((at) => at > now - SECOND_MS)
    if (takenMs.length >= MAILS_A_SECOND) {
      const tooMany = new Unavailable('email', { cause: new Error('429'), answered: true })
      return { announced: { limit, retryAfterMs: SECOND_MS }, tooMany }
    }
    takenMs.push(now)
    return { announced: { limit, retryAfterMs: null }, tooMany: null }
  }

  return {
    async sendOtp({ to, code, isCustomer }) {
      await whileWaiting(pace.send(async () => take(), { isCustomer }))
      deliver(to, code)
    },
    async sendPaymentNotice() {
      await whileWaiting(pace.send(async () => take(), { isCustomer: true }))
    },
  }
}
