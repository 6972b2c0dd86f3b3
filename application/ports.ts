import type { Brand } from '../domain/brand.ts'
import type { CodeChallenge, CodeVerifier } from '../domain/code-challenge.ts'
import type { Dispute } from '../domain/dispute.ts'
import type { Email } from '../domain/email.ts'
import type { ErasedEmailDigest } from '../domain/erasure.ts'
import type { Excuse, TagValues } from '../domain/excuse.ts'
import type { Language } from '../domain/language.ts'
import type { Epoch } from '../domain/log-out.ts'
import type { MailLimit } from '../domain/mail-limit.ts'
import type { Mailbox, MailboxDigest } from '../domain/mailbox.ts'
import type { Price, PurchaseId } from '../domain/order.ts'
import type { OtpCode, OtpSeed } from '../domain/otp.ts'
import type { OutboxKey } from '../domain/outbox.ts'
import type { Purchase } from '../domain/purchase.ts'
import type { Refund } from '../domain/refund.ts'
import type { SessionReport } from '../domain/session-report.ts'
import type { TokenClaims } from '../domain/token.ts'
import type { Decks } from './content/decks.ts'
import type { Strings } from './content/strings.ts'
import type { LogEvent } from './log-events.ts'
import type { Store } from './store.ts'
import type { RateLimitWidth, Telemetry } from './telemetry.ts'

/** A signed bearer token (RFC 6750). Only its issuer reads it. */
export type Token = Brand<string, 'Token'>

export type Mailer = {
  /** Resolves once the mail was accepted, after 10 seconds at most; throws `Unavailable('email')`. */
  sendOtp(mail: OtpMail): Promise<void>
  /**
   * As `sendOtp`, and idempotent by the mail's key, for as long as the provider remembers keys. By SMTP, which has
   * none, every attempt has the same Message-ID.
   */
  sendPaymentNotice(mail: PaymentNotice): Promise<void>
}

export type OtpMail = {
  readonly to: Email
  readonly code: OtpCode
  readonly language: Language
  /** How long the code still lives, in milliseconds. */
  readonly validForMs: number
  /** Whether the address has or had premium. Where mails have to wait, those of customers come first. */
  readonly isCustomer: boolean
}

/** Tells a buyer how a payment ended. */
export type PaymentNotice = {
  readonly kind: 'payment_confirmed' | 'payment_failed'
  readonly key: OutboxKey
  readonly to: Email
  readonly language: Language
  readonly amount: Price
}

export type CheckoutSession = { readonly sessionId: string; readonly checkoutUrl: string }

/** What the provider is asked. Each call throws `Unavailable('payment')`, after 8 seconds at most. */
export type PaymentCalls = {
  /** What is sold today. Asks the provider at each call until one answer has come. */
  price(): Promise<Price>
  /** Idempotent by the purchase's id: asked again, the provider answers with the same session. */
  createSession(purchase: Purchase): Promise<CheckoutSession>
  /** Null when the provider knows no such session. */
  readSession(sessionId: string): Promise<SessionReport | null>
  /** Ends the session, and a payment that waits for the buyer; what is under way goes on. Says how it has ended. */
  expireSession(sessionId: string): Promise<SessionReport | null>
  listRefunds(paymentIntentId: string): Promise<readonly Refund[]>
  listDisputes(paymentIntentId: string): Promise<readonly Dispute[]>
  /**
   * Refunds all of a payment that has not been refunded yet, and returns every refund of it. Idempotent by its nature,
   * and by the key for as long as the provider remembers it.
   */
  refundPayment(refund: { paymentIntentId: string; key: OutboxKey }): Promise<readonly Refund[]>
  /** All sessions, whatever came of them, that were made from `since` to `until`. */
  findSessions(window: ListWindow & { readonly until: Date }): Promise<ListPage<SessionReport>>
  /** Sessions that a buyer has completed, by the time of their making. */
  findCompletedSessions(window: ListWindow): Promise<ListPage<SessionReport>>
  /** Notifications that some endpoint has not taken. */
  findUndeliveredNotifications(window: ListWindow): Promise<ListPage<PaymentEvent>>
  findRefunds(window: ListWindow): Promise<ListPage<Listed<Refund>>>
  findDisputes(window: ListWindow): Promise<ListPage<Listed<Dispute>>>
}

/** What the provider tells by itself. Nothing here asks it. */
export type PaymentNotifications = {
  /** Whether they are about real money. */
  readonly live: boolean
  /**
   * Throws `invalid_signature` where the header alone shows that `verifyEvent` will, whatever the payload: it is
   * missing, malformed, or made more than five minutes ago.
   */
  checkSignatureHeader(signature: string | null): void
  /** Throws `invalid_signature` unless the provider itself signed exactly these bytes within the last five minutes. */
  verifyEvent(delivery: { payload: Uint8Array; signature: string | null }): Promise<PaymentEvent>
}

/** Where a page begins: after the page that gave `cursor`, among the objects made no earlier than `since`. */
export type ListWindow = { readonly since: Date; readonly cursor: string | null }

/** Newest first. */
export type ListPage<Item> = {
  readonly items: readonly Item[]
  /** The ids of objects on the page that cannot be read as items. */
  readonly unreadable: readonly string[]
  /** Null on the last page. */
  readonly cursor: string | null
}

/** An object of a list, and when the provider made it. */
export type Listed<Item> = Item & { readonly createdAt: Date }

/** One delivery of the provider, in our terms. */
export type PaymentEvent = PaymentFact & {
  readonly eventId: string
  readonly eventType: string
  /** When it happened at the provider. Null where that is not said. */
  readonly occurredAt: Date | null
}

export type PaymentFact =
  | { readonly kind: 'session'; readonly report: SessionReport }
  | { readonly kind: 'refund'; readonly refund: Refund }
  /** Something was refunded. Only the provider can say what. */
  | { readonly kind: 'refund_hint'; readonly paymentIntentId: string }
  | { readonly kind: 'dispute'; readonly dispute: Dispute }
  /** Nothing that Alibi acts on: another kind, mode or product, or a thin one, which does not say what has happened. */
  | { readonly kind: 'other'; readonly isThin?: true }

export type Clock = {
  now(): Date
}

export type Secrets = {
  /** Names today's key. */
  newOtpSeed(): OtpSeed
  /** Whether the key that the seed names is today's or the one before it. A seed of an early release names none. */
  knowsKeyOf(seed: OtpSeed): boolean
  /**
   * Uniform over 000000 to 999999; the same for the same address and seed, as long as the key that the seed names is
   * known. Of any other seed, these are digits that nobody was mailed.
   */
  deriveOtpCode(email: Email, seed: OtpSeed): OtpCode
  /** By the method S256 of RFC 7636, section 4.2, which takes no key. */
  challengeOf(verifier: CodeVerifier): CodeChallenge
  /** Those of later milliseconds sort after earlier ones, whichever machine makes them. */
  newPurchaseId(now: Date): PurchaseId
  newGrantId(): string
  /** A name for an erased address. It reveals neither the address nor the time. */
  newErasedEmail(): Email
  /** The digests that stand for the address once it is erased: under today's key, then under those that still count. */
  erasureDigests(email: Email): readonly [ErasedEmailDigest, ...ErasedEmailDigest[]]
  /** The digests that stand for the mailbox: under today's key, then under those that still count. */
  mailboxDigests(mailbox: Mailbox): readonly [MailboxDigest, ...MailboxDigest[]]
  /** Uniform over 0 to `bound` - 1. */
  randomIndex(bound: number): number
}

export type Tokens = {
  issue(email: Email, issue: { now: Date; epoch: Epoch }): Promise<Token>
  /** Null for anything but a token of ours. It may have expired, or be from the future. */
  verify(token: string): Promise<TokenClaims | null>
  /** What `verify` would give, where it is in memory; null where it is not. */
  recall(token: string): TokenClaims | null
}

export type Content = {
  /** The languages that have content, the default one among them, in the order in which they are shown. */
  readonly languages: readonly Language[]
  /** The values that an excuse may be asked for by: the known ones, then the operator's own. */
  readonly tagValues: TagValues
  /** The content in a language, or in the default one where that language has none. */
  in(language: Language): LanguageContent
}

export type LanguageContent = {
  /** The one it is in. */
  readonly language: Language
  readonly strings: Strings
  /** Never empty; at least one needs nothing. */
  readonly excuses: readonly Excuse[]
}

/** Bounds the questions to the provider about sessions that no purchase here has: anybody can make up their ids. */
export type SessionQuestions = {
  /** Whether the provider may be asked about the session now. Counts the question where it may. */
  take(sessionId: string): boolean
}

/** Who is counted: the address of a token, wherever it calls from, or a client, by the address that it calls from. */
export type RateLimitSubject =
  | { readonly kind: 'address'; readonly email: Email }
  /** The address is valid, or null for a client that did not come over the network. */
  | { readonly kind: 'client'; readonly address: string | null }

/**
 * Counts requests by subject, exactly: any window of its length has at most `limit` accepted requests of an address or
 * a client. All clients of a /56 together have 4 times, those of a /48 16 times as many. Where there are too many
 * clients to count each, new ones share the budget of their network: 4 times that of one client for a /56 or /24,
 * 16 times for a /48 or /16, 64 times for a /32. Addresses are in no network's count. A refused request does not count.
 * `takeAtOnce` is as `take`, and left out where that takes time.
 */
export type RateLimiter = {
  readonly limit: number
  readonly windowMs: number
  take(subject: RateLimitSubject): Promise<RateLimitVerdict>
  takeAtOnce?(subject: RateLimitSubject): RateLimitVerdict
}

export type RateLimitVerdict = {
  readonly accepted: boolean
  /** The smallest remainder of all the budgets that apply. */
  readonly remaining: number
  /** Until that budget has one more, or, after a refusal, until another request is accepted, in milliseconds. */
  readonly resetMs: number
  /** Whose budget that is. */
  readonly width: RateLimitWidth
}

/** What happened, for the operator. Fields never hold codes, tokens, keys or addresses. Never throws. */
export type Log = (event: LogEvent, fields?: LogFields) => void

export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** The program that starts the service and keeps it running, if there is one. No method throws. */
export type Supervisor = {
  /** How long after a ping it takes the service for hung, in milliseconds; null without a watchdog. */
  readonly watchdogTimeoutMs: number | null
  /** Asks for more time before something that may take long. */
  starting(status: string, limit: { withinMs: number }): void
  ready(status: string): void
  pingWatchdog(): void
  stopping(status: string): void
}

/** What the supervisor knows of the service. */
export type ServiceState = {
  readonly installed: boolean
  /** Whether it starts with the machine. */
  readonly enabled: boolean
  /** Whether it serves. */
  readonly active: boolean
  /** In the supervisor's words: `active (running)`, `activating (auto-restart)`, `failed (failed)`. */
  readonly state: string
  /** Since when it is in that state, in universal time as of ISO 8601; null when it was in no other. */
  readonly since: string | null
  readonly pid: number | null
  /** What the running service last said of itself. Null where no process runs: an old status would be stale. */
  readonly status: string | null
  /** How often the supervisor has restarted it by itself. */
  readonly restarts: number
  /** Whether its unit has changed since the supervisor read it. */
  readonly needsReload: boolean
  /** How its last process ended; null while one runs, and when there was none. */
  readonly lastExit: string | null
}

/** What the operator has decided. Durations are in milliseconds. */
type Rules = {
  readonly otpLifetimeMs: number
  readonly verificationLifetimeMs: number
  readonly tokenLifetimeMs: number
  /** How many code mails the whole service sends; null where nothing bounds them. */
  readonly mailLimit: MailLimit | null
  readonly allowPromotionCodes: boolean
  /** The least that a promotion code may leave to pay, in minor units. */
  readonly amountMin: number
  /** Whether a second payment of an address is sent back. */
  readonly refundDuplicates: boolean
}

export type Ports = Store & {
  readonly mailer: Mailer
  readonly payments: PaymentCalls
  readonly notifications: PaymentNotifications
  readonly sessionQuestions: SessionQuestions
  readonly clock: Clock
  readonly secrets: Secrets
  readonly tokens: Tokens
  readonly content: Content
  readonly decks: Decks
  readonly log: Log
  readonly telemetry: Telemetry
  readonly rules: Rules
}
