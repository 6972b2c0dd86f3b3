import type { Price } from '../domain/order.ts'

/** The buyer's side of the sandbox provider: what its hosted page shows and does. Development only. */
export type SandboxCheckout = {
  find(sessionId: string): Promise<SandboxSession | null>
  /** Plays the buyer or the buyer's bank, and notifies as a real provider does. Null for an unknown session. */
  applyAction(sessionId: string, action: SandboxAction): Promise<SandboxSession | null>
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
