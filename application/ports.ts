import type { Brand } from '../domain/brand.ts'
import type { Email } from '../domain/email.ts'
import type { Language } from '../domain/language.ts'
import type { OtpCode, OtpRecord, OtpSeed } from '../domain/otp.ts'
import type { Dispute, PremiumGrant, Refund } from '../domain/premium-grant.ts'
import type { Price, Purchase, PurchaseId, SessionReport } from '../domain/purchase.ts'
import type { Verification } from '../domain/verification.ts'

/** A signed bearer token (RFC 6750), opaque to everyone but its issuer. */
export type Token = Brand<string, 'Token'>

// Storage. Every method is one atomic operation: it happens whole or not at all, is durable once its promise
// resolves, and no other writer comes between what it reads and what it writes. Where `change` throws, nothing is
// stored and the error passes through. All of them throw `Unavailable('storage')` when the database does not answer.

/** At most one record per address; an address nobody knows has the empty one. */
export type OtpRepository = {
  /** Stores the record and, where the code that was spent proved the address, its verification: both or neither. */
  update<Result extends { record: OtpRecord; verification?: Verification | null }>(
    email: Email,
    change: (record: OtpRecord) => Result,
  ): Promise<Result>
}

/** At most one verification per address: the latest. */
export type VerificationRepository = {
  findByEmail(email: Email): Promise<Verification | null>
}

/** Everything an address has bought or tried to buy, oldest first, and every grant it has. */
export type Account = {
  readonly purchases: readonly Purchase[]
  readonly grants: readonly PremiumGrant[]
}

/** Never holds two open purchases of one address, nor one session under two purchases. */
export type PurchaseRepository = {
  /** Stores the purchase that `change` returns, new or changed; null stores nothing. */
  update<Result extends { purchase: Purchase | null }>(
    email: Email,
    change: (account: Account) => Result,
  ): Promise<Result>
  findAccount(email: Email): Promise<Account>
  findById(id: PurchaseId): Promise<Purchase | null>
  findBySessionId(sessionId: string): Promise<Purchase | null>
}

/** A paid purchase is a grant; refunds and disputes join it by payment intent, whichever was known first. */
export type PremiumGrantRepository = {
  findByEmail(email: Email): Promise<readonly PremiumGrant[]>
  /** Gives an address premium by an operator's word. */
  add(grant: { id: string; email: Email; grantedAt: Date }): Promise<void>
  /** Revokes every grant the address has now. A purchase paid later is a new grant. */
  revokeAll(email: Email, revokedAt: Date): Promise<void>
}

/** Facts about money, by the provider's object id, also about money that is not (or not yet) known to be ours. */
export type RefundRepository = {
  /** Changes what is known of each reported one: of all of them or of none. */
  update<Reported extends { readonly id: string }>(
    reported: readonly Reported[],
    change: (known: Refund | null, reported: Reported) => Refund,
  ): Promise<void>
}

export type DisputeRepository = {
  update(id: string, change: (known: Dispute | null) => Dispute): Promise<void>
}

/** The line in time before which an address's tokens are void; see domain/log-out.ts. */
export type LogOutRepository = {
  findByEmail(email: Email): Promise<Date | null>
  update(email: Email, change: (lineAt: Date | null) => Date): Promise<void>
}

export type DatabaseHealth = {
  /** Throws `Unavailable('storage')` unless the database answers. */
  check(): Promise<void>
}

// Providers.

export type Mailer = {
  /** Resolves once the mail was accepted, after 10 seconds at most; throws `Unavailable('email')`. */
  sendOtp(mail: OtpMail): Promise<void>
}

export type OtpMail = {
  readonly to: Email
  readonly code: OtpCode
  readonly language: Language
  /** How long the code still lives, in milliseconds. */
  readonly validForMs: number
}

export type CheckoutSession = { readonly sessionId: string; readonly checkoutUrl: string }

/** All but `readNotification` throw `Unavailable('payment')`, after 8 seconds at most. */
export type PaymentGateway = {
  /** Whether it takes real money. */
  readonly live: boolean
  /** What is sold today. Asks the provider at most once. */
  price(): Promise<Price>
  /** Idempotent by the purchase's id: asked again, the provider answers with the same session. */
  createSession(purchase: Purchase): Promise<CheckoutSession>
  /** Null when the provider knows no such session. */
  readSession(sessionId: string): Promise<SessionReport | null>
  /** Makes sure that the session takes no more money, and says how it ended. */
  expireSession(sessionId: string): Promise<SessionReport | null>
  listRefunds(paymentIntentId: string): Promise<readonly Refund[]>
  /** Throws `invalid_signature` unless the provider itself signed these very bytes in the last five minutes. */
  readNotification(delivery: {
    payload: Uint8Array
    signature: string | null
  }): Promise<PaymentNotification>
}

/** One delivery of the provider, in our terms. */
export type PaymentNotification = PaymentFact & {
  readonly eventId: string
  readonly eventType: string
}

export type PaymentFact =
  | { readonly kind: 'session'; readonly report: SessionReport }
  | { readonly kind: 'refund'; readonly refund: Refund }
  /** Something was refunded; what, the provider has to be asked. */
  | { readonly kind: 'refund_hint'; readonly paymentIntentId: string }
  | { readonly kind: 'dispute'; readonly dispute: Dispute }
  /** Nothing that Alibi acts on: another kind, another mode, another product. */
  | { readonly kind: 'other' }

// The rest of the outside world.

export type Clock = {
  now(): Date
}

export type Secrets = {
  newOtpSeed(): OtpSeed
  /** Uniform over 000000 to 999999; the same for the same address and seed, as long as the key stays. */
  deriveOtpCode(email: Email, seed: OtpSeed): OtpCode
  newPurchaseId(): PurchaseId
  /** Uniform over 0 to `bound` - 1. */
  randomIndex(bound: number): number
}

export type Tokens = {
  issue(email: Email, issuedAt: Date): Promise<Token>
  /** Null for anything but a token of ours that has not expired at `now`. */
  verify(token: string, now: Date): Promise<{ email: Email; issuedAt: Date } | null>
}

export type Content = {
  /** Never empty. */
  reasons(language: Language): readonly string[]
  strings(language: Language): Readonly<Record<string, string>>
}

/** Counts by client. Exact: in no window of its length are more than `limit` accepted, and a refusal costs nothing. */
export type RateLimiter = {
  readonly limit: number
  readonly windowMs: number
  take(client: string): Promise<{
    readonly accepted: boolean
    readonly remaining: number
    /** Until a place becomes free, in milliseconds. */
    readonly resetMs: number
  }>
}

/** The buyer's side of the sandbox provider: what its hosted page shows and does. Development only. */
export type SandboxDesk = {
  find(sessionId: string): Promise<SandboxSession | null>
  /** Plays the buyer or the buyer's bank, and notifies as a real provider does. Null for an unknown session. */
  act(sessionId: string, action: SandboxAction): Promise<SandboxSession | null>
}

/** `pay_late` is a debit that takes days: `money_arrives` and `money_bounces` are its two ends. */
export const SANDBOX_ACTIONS = [
  'pay',
  'pay_late',
  'decline',
  'money_arrives',
  'money_bounces',
] as const
export type SandboxAction = (typeof SANDBOX_ACTIONS)[number]

export type SandboxSession = {
  readonly sessionId: string
  readonly productName: string
  readonly price: Price
  readonly state: 'open' | 'declined' | 'awaiting_money' | 'paid' | 'failed' | 'expired'
  /** Where the buyer goes from here. */
  readonly successUrl: string
  readonly cancelUrl: string
}

/** What happened, for the operator. Fields never hold codes, tokens, keys or addresses. */
export type Log = {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** What the operator has decided. Durations are in milliseconds. */
export type Rules = {
  readonly otpLifetimeMs: number
  readonly verificationLifetimeMs: number
  readonly allowPromotionCodes: boolean
}

export type Store = {
  readonly otps: OtpRepository
  readonly verifications: VerificationRepository
  readonly purchases: PurchaseRepository
  readonly premiumGrants: PremiumGrantRepository
  readonly refunds: RefundRepository
  readonly disputes: DisputeRepository
  readonly logOuts: LogOutRepository
  readonly databaseHealth: DatabaseHealth
}

export type Ports = Store & {
  readonly mailer: Mailer
  readonly payments: PaymentGateway
  readonly clock: Clock
  readonly secrets: Secrets
  readonly tokens: Tokens
  readonly content: Content
  readonly log: Log
  readonly rules: Rules
}
