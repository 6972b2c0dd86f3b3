import type { Outcome } from '../doctor/finding.ts'

/** A webhook endpoint as the payment provider keeps it. */
export type KeptEndpoint = {
  readonly id: string
  readonly url: string
  readonly isEnabled: boolean
  /** Or `*` for all of them. */
  readonly events: readonly string[]
  /** Null for the account's own. */
  readonly apiVersion: string | null
  /** What setup has noted on it; null for one that was made by hand. */
  readonly mark: string | null
}

/** The webhook endpoints of the account. No outcome and no error contains the key or a signing secret. */
export type WebhookEndpoints = {
  list(): Promise<Outcome<readonly KeptEndpoint[]>>
  /** Nobody is told the signing secret a second time. */
  create(endpoint: {
    readonly url: string
    readonly events: readonly string[]
    readonly apiVersion: string
    readonly mark: string
  }): Promise<Outcome<{ readonly id: string; readonly secret: string }>>
  /** Makes it listen to exactly these events, and enables it. */
  mend(id: string, change: { readonly events: readonly string[] }): Promise<Outcome<null>>
  mark(id: string, mark: string): Promise<Outcome<null>>
  /** One that is gone already counts as removed. */
  remove(id: string): Promise<Outcome<null>>
}

/** The URL of an endpoint up to its path: the rest may contain a key, and makes no difference to where requests go. */
export function addressOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : 'one without an address'
}
