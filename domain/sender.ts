import type { ClientNetwork } from './client-network.ts'
import type { Email } from './email.ts'

/**
 * Who asks for a code of an address, or brings one. A holder has a token of that very address, if only an expired one.
 * Everybody else is a stranger, known by the network of the client.
 */
export type Sender =
  | { readonly kind: 'holder' }
  | { readonly kind: 'stranger'; readonly network: ClientNetwork }

export const SENDER_KINDS = ['stranger', 'holder'] as const
export type SenderKind = (typeof SENDER_KINDS)[number]

// Why: docs/decisions.md#holders-of-a-token-have-codes-and-budgets-of-their-own
/** Whose codes, mails and wrong tries they are: an address has a set of them for each kind of sender. */
export type OtpOwner = { readonly email: Email; readonly sender: SenderKind }
