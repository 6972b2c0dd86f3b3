import type { DiscrepancyKind } from '../domain/ledger.ts'
import type { OtpAttempt } from '../domain/otp.ts'
import type { Outage } from './unavailable.ts'

// Why: docs/decisions.md#use-cases-report-what-is-measured-and-one-adapter-keeps-it
/** What the operator's monitoring counts. Recording takes next to no time, and never throws. */
export type Telemetry = {
  record(event: TelemetryEvent): void
}

/** Names no person, no code, no token and no single object; every text in it is one of a few. */
export type TelemetryEvent =
  | {
      readonly kind: 'request_answered'
      readonly method: string
      /** A path of our own, or the folder that it is in; null for any other. */
      readonly route: string | null
      readonly status: number
      readonly ms: number
    }
  /** A rate limit was reached: that of a client, of its address, or of its network. */
  | { readonly kind: 'client_refused'; readonly policy: string; readonly width: RateLimitWidth }
  /** A rule said no. */
  | { readonly kind: 'request_refused'; readonly reason: string }
  /** A visitor has entered a code. */
  | { readonly kind: 'code_tried'; readonly outcome: OtpAttempt['outcome'] }
  | ProviderCall
  | NotificationReceived
  | SweepEnded
  | AuditEnded
  | ConnectionEvent
  /** Something that the service does by itself failed as a whole. */
  | { readonly kind: 'task_failed'; readonly task: TaskName }
  /** The log has a line of level warn or error. */
  | { readonly kind: 'logged'; readonly level: 'warn' | 'error' }

/**
 * By whom requests are counted: by the address of a token, by a client of its own (an address of IPv4, a /64 of IPv6),
 * or by all the clients of a network together.
 */
export const RATE_LIMIT_WIDTHS = ['address', 'client', '/56', '/48', '/32', '/24', '/16'] as const
export type RateLimitWidth = (typeof RATE_LIMIT_WIDTHS)[number]

/** What the service does by itself. */
export const TASK_NAMES = [
  'audit',
  'backups',
  'clock',
  'leadership',
  'mail_limit',
  'outbox',
  'price',
  'pruning',
  'rate_limits',
  'readiness',
  'reconciler',
  'routes',
  'sign_of_life',
  'wrong_codes',
] as const
export type TaskName = (typeof TASK_NAMES)[number]

export type ProviderCall = {
  readonly kind: 'provider_called'
  readonly provider: Exclude<Outage, 'storage'>
  readonly operation: string
  readonly ms: number
  /** `refused` needs an operator, such as a key that is no longer valid; null for a call that did its part. */
  readonly failure: 'unavailable' | 'refused' | 'fault' | null
}

/** A notification of the provider has come. */
export type NotificationReceived = {
  readonly kind: 'notification_received'
  /**
   * `known` changed nothing: it came before, or by another way, or is about a session of another service. `ignored` is
   * of a kind that changes nothing. `refused` was not signed by the provider.
   */
  readonly outcome: 'news' | 'known' | 'ignored' | 'refused' | 'unavailable' | 'fault'
  /** From the event until it was handled. Null where it was not handled, or where the event has no time. */
  readonly lagMs: number | null
}

/** A sweep through the provider's records came to its end, or was cut short. */
export type SweepEnded = {
  readonly kind: 'sweep_ended'
  readonly sweep: string
  readonly repaired: number
  readonly failed: number
  readonly finished: boolean
}

/** All that is stored about money and access was compared; see domain/ledger.ts. */
export type AuditEnded = {
  readonly kind: 'audit_ended'
  readonly startedAt: Date
  /** How many discrepancies there are of each kind. */
  readonly counts: Readonly<Record<DiscrepancyKind, number>>
}

/** Of the connections to a database that is another process. An embedded one has none of these. */
export type ConnectionEvent =
  /** Somebody got a connection after so long, or `gave_up` after it. */
  | {
      readonly kind: 'connection_waited'
      readonly ms: number
      readonly outcome: 'got' | 'gave_up'
    }
  /** A connection could not be opened, or broke off. */
  | { readonly kind: 'connection_failed' }
  /** A transaction was run again, because it and another one stood in each other's way. */
  | { readonly kind: 'transaction_retried'; readonly reason: 'deadlock' | 'serialization' }
