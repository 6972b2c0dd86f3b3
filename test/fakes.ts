import type {
  Account,
  CheckoutSession,
  Content,
  LogFields,
  Mailer,
  OtpMail,
  PaymentGateway,
  Ports,
  Secrets,
  Store,
  Token,
  Tokens,
} from '../application/ports.ts'
import { Unavailable } from '../application/unavailable.ts'
import type { Email } from '../domain/email.ts'
import { DomainError } from '../domain/errors.ts'
import { issueTime } from '../domain/log-out.ts'
import { EMPTY_OTP_RECORD, type OtpCode, type OtpRecord, type OtpSeed } from '../domain/otp.ts'
import type { Dispute, PremiumGrant, Refund } from '../domain/premium-grant.ts'
import type {
  Price,
  Purchase,
  PurchaseId,
  PurchaseState,
  SessionReport,
} from '../domain/purchase.ts'
import type { Verification } from '../domain/verification.ts'

export const NOON = new Date('2026-03-01T12:00:00.000Z')

/** A clock that stands still until it is moved. */
export function fixedClock(start: Date = NOON) {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    advance(milliseconds: number) {
      time += milliseconds
    },
  }
}

/** A mailer that keeps what it was given, and refuses while `outage` is true. */
export function recordingMailer() {
  const mails: OtpMail[] = []
  const mailer = {
    mails,
    outage: false,
    async sendOtp(mail: OtpMail) {
      if (mailer.outage) throw new Unavailable('email', { cause: new Error('out of order') })
      mails.push(mail)
    },
  }
  return mailer satisfies Mailer
}

/** A log that keeps its lines. */
export function recordingLog() {
  const lines: { level: 'info' | 'warn' | 'error'; event: string; fields: LogFields }[] = []
  return {
    lines,
    info: (event: string, fields: LogFields = {}) =>
      void lines.push({ level: 'info', event, fields }),
    warn: (event: string, fields: LogFields = {}) =>
      void lines.push({ level: 'warn', event, fields }),
    error: (event: string, fields: LogFields = {}) =>
      void lines.push({ level: 'error', event, fields }),
  }
}

/** Codes 000001, 000002, … by seed; every other secret counts up in the same way. */
export function countingSecrets(): Secrets {
  let count = 0
  const next = () => String(++count).padStart(6, '0')
  return {
    newOtpSeed: () => next() as OtpSeed,
    deriveOtpCode: (_email, seed) => seed as string as OtpCode,
    newPurchaseId: () => `pur_${next()}` as PurchaseId,
    randomIndex: (bound) => ++count % bound,
  }
}

/** Tokens that can be read with the eye: `email|issued at`. They live for a day. */
export function plainTokens(): Tokens {
  return {
    issue: async (email, issuedAt) => `${email}|${issuedAt.toISOString()}` as Token,
    async verify(token, now) {
      const [email = '', time = ''] = token.split('|')
      const issuedAt = new Date(time)
      const ageMs = now.getTime() - issuedAt.getTime()
      return ageMs < 24 * 3_600_000 ? { email: email as Email, issuedAt } : null
    },
  }
}

/** Two excuses a language, each naming its language. */
export function tinyContent(): Content {
  return {
    reasons: (language) => [`${language} one`, `${language} two`],
    strings: (language) => ({ title: `Alibi (${language})`, subtitle: 'sub', generate: 'go' }),
  }
}

/**
 * A provider whose sessions do what the test says. Notifications are JSON of a `PaymentNotification`, and their
 * signature is the word `valid`.
 */
export function scriptedPayments({ price = { amount: 400, currency: 'eur' } } = {}) {
  const sessions = new Map<string, SessionReport>()
  const refunds: Refund[] = []
  const calls: string[] = []
  function called(name: string) {
    calls.push(name)
    if (gateway.outage) {
      const { answered } = gateway
      throw new Unavailable('payment', { cause: new Error('out of order'), answered })
    }
  }
  const gateway = {
    sessions,
    refunds,
    calls,
    outage: false,
    answered: false,
    live: false,
    today: price as Price,
    price: async () => gateway.today,
    async createSession(purchase: Purchase): Promise<CheckoutSession> {
      called('createSession')
      const sessionId = `cs_test_${purchase.id}`
      const checkoutUrl = `https://pay.example/${sessionId}`
      if (!sessions.has(sessionId)) {
        sessions.set(sessionId, {
          sessionId,
          purchaseId: purchase.id,
          outcome: 'open',
          amountSubtotal: purchase.price.amount,
          amountTotal: purchase.price.amount,
          currency: purchase.price.currency,
          live: purchase.live,
          singlePayment: true,
          paymentIntentId: null,
          url: checkoutUrl,
        })
      }
      return { sessionId, checkoutUrl }
    },
    async readSession(sessionId: string) {
      called('readSession')
      return sessions.get(sessionId) ?? null
    },
    async expireSession(sessionId: string) {
      called('expireSession')
      const session = sessions.get(sessionId)
      if (session?.outcome === 'open') gateway.move(sessionId, 'closed')
      return sessions.get(sessionId) ?? null
    },
    async listRefunds(paymentIntentId: string) {
      called('listRefunds')
      return refunds.filter((refund) => refund.paymentIntentId === paymentIntentId)
    },
    async readNotification({
      payload,
      signature,
    }: {
      payload: Uint8Array
      signature: string | null
    }) {
      if (signature !== 'valid') throw new DomainError('invalid_signature')
      return JSON.parse(new TextDecoder().decode(payload))
    },
    /** What the buyer, or the buyer's bank, does at the provider. */
    move(sessionId: string, outcome: SessionReport['outcome']): SessionReport {
      const session = sessions.get(sessionId)
      if (!session) throw new Error(`no session ${sessionId}`)
      const moved: SessionReport = {
        ...session,
        outcome,
        url: outcome === 'open' ? session.url : null,
        paymentIntentId: outcome === 'open' ? null : `pi_${session.purchaseId}`,
      }
      sessions.set(sessionId, moved)
      return moved
    },
  }
  return gateway satisfies PaymentGateway
}

/** A token as a right code gives one, whether the address has premium or not. */
export async function issueToken(
  { logOuts, tokens, clock }: Pick<Ports, 'logOuts' | 'tokens' | 'clock'>,
  email: Email,
): Promise<Token> {
  return tokens.issue(email, issueTime(await logOuts.findByEmail(email), clock.now()))
}

/** The purchase in a state, with what belongs to that state. */
export function inState(purchase: Purchase, state: PurchaseState): Purchase {
  switch (state) {
    case 'review':
      return { ...purchase, state, reviewReason: 'amount' }
    case 'paid':
      return { ...purchase, state, paidAt: NOON, amountPaid: 400, revokedAt: null }
    default:
      return { ...purchase, state }
  }
}

/** Makes an address verified, as a right code does. */
export async function saveVerification(
  { otps }: Pick<Store, 'otps'>,
  verification: Verification,
): Promise<void> {
  await otps.update(verification.email, (record) => ({ record, verification }))
}

/** The promises of every repository, kept in memory. Its methods run to the end without a pause, so they are atomic. */
export function memoryStore(): Store {
  const otps = new Map<Email, OtpRecord>()
  const verifications = new Map<Email, Verification>()
  const purchases = new Map<PurchaseId, Purchase>()
  const operatorGrants: PremiumGrant[] = []
  const refunds = new Map<string, Refund>()
  const disputes = new Map<string, Dispute>()
  const lines = new Map<Email, Date>()

  const purchasesOf = (email: Email) =>
    [...purchases.values()]
      .filter((purchase) => purchase.email === email)
      .sort((left, right) => left.createdAt.getTime() - right.createdAt.getTime())
  const grantsOf = (email: Email): PremiumGrant[] => [
    ...operatorGrants.filter((grant) => grant.email === email),
    ...purchasesOf(email)
      .filter((purchase) => purchase.state === 'paid')
      .map(({ id, amountPaid, paymentIntentId, revokedAt }) => ({
        id,
        email,
        revokedAt,
        payment: {
          amountPaid,
          refunds: [...refunds.values()].filter((one) => one.paymentIntentId === paymentIntentId),
          disputes: [...disputes.values()].filter((one) => one.paymentIntentId === paymentIntentId),
        },
      })),
  ]
  const accountOf = (email: Email): Account => ({
    purchases: purchasesOf(email),
    grants: grantsOf(email),
  })
  function refuseConflict(purchase: Purchase) {
    for (const other of purchases.values()) {
      if (other.id === purchase.id) continue
      const bothOpen = other.state === 'open' && purchase.state === 'open'
      if (bothOpen && other.email === purchase.email) throw new Error('two open purchases')
      if (purchase.sessionId !== null && other.sessionId === purchase.sessionId) {
        throw new Error('one session under two purchases')
      }
    }
  }

  return {
    otps: {
      async update(email, change) {
        const result = change(otps.get(email) ?? EMPTY_OTP_RECORD)
        otps.set(email, result.record)
        if (result.verification) verifications.set(result.verification.email, result.verification)
        return result
      },
    },
    verifications: {
      findByEmail: async (email) => verifications.get(email) ?? null,
    },
    purchases: {
      async update(email, change) {
        const result = change(accountOf(email))
        if (result.purchase) {
          refuseConflict(result.purchase)
          purchases.set(result.purchase.id, result.purchase)
        }
        return result
      },
      findAccount: async (email) => accountOf(email),
      findById: async (id) => purchases.get(id) ?? null,
      findBySessionId: async (sessionId) =>
        [...purchases.values()].find((purchase) => purchase.sessionId === sessionId) ?? null,
    },
    premiumGrants: {
      findByEmail: async (email) => grantsOf(email),
      async add({ id, email }) {
        operatorGrants.push({ id, email, payment: null, revokedAt: null })
      },
      async revokeAll(email, revokedAt) {
        operatorGrants.forEach((grant, index) => {
          if (grant.email !== email || grant.revokedAt) return
          operatorGrants[index] = { ...grant, revokedAt }
        })
        for (const purchase of purchasesOf(email)) {
          if (purchase.state !== 'paid' || purchase.revokedAt) continue
          purchases.set(purchase.id, { ...purchase, revokedAt })
        }
      },
    },
    refunds: {
      async update(reported, change) {
        const changed = new Map(refunds)
        for (const one of reported) changed.set(one.id, change(changed.get(one.id) ?? null, one))
        for (const [id, refund] of changed) refunds.set(id, refund)
      },
    },
    disputes: {
      async update(id, change) {
        disputes.set(id, change(disputes.get(id) ?? null))
      },
    },
    logOuts: {
      findByEmail: async (email) => lines.get(email) ?? null,
      async update(email, change) {
        lines.set(email, change(lines.get(email) ?? null))
      },
    },
    databaseHealth: { check: async () => {} },
  }
}

/** Every port, faked, with a test's own instead where it gives one. */
export function fakePorts(own: Partial<Ports> = {}) {
  const fakes = {
    ...memoryStore(),
    clock: fixedClock(),
    mailer: recordingMailer(),
    payments: scriptedPayments(),
    secrets: countingSecrets(),
    tokens: plainTokens(),
    content: tinyContent(),
    log: recordingLog(),
    rules: {
      otpLifetimeMs: 10 * 60_000,
      verificationLifetimeMs: 30 * 60_000,
      allowPromotionCodes: false,
    },
  }
  return { ...fakes, ...own } as typeof fakes
}
