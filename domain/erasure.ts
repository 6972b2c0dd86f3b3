import type { Brand } from './brand.ts'
import { type Email, ERASED_DOMAIN } from './email.ts'
import type { Purchase } from './purchase.ts'

/** What is kept of an address that was erased: its digest under a secret key, worthless without that key. */
export type ErasedEmailDigest = Brand<string, 'ErasedEmailDigest'>

const NAME = new RegExp(`^erased-[0-9a-z]+@${ERASED_DOMAIN.replace('.', '\\.')}$`)

// Why: docs/decisions.md#an-erased-address-leaves-a-name-and-a-digest
/**
 * The name that takes the place of an address in records that bookkeeping needs. Each erasure has one of its own, so
 * that the records of an address stay together. It is no mailbox: `.invalid` is no domain (RFC 6761, section 6.4).
 */
export function erasedEmail(id: string): Email {
  return `erased-${id}@${ERASED_DOMAIN}` as Email
}

export function isErased(email: Email): boolean {
  return NAME.test(email)
}

/**
 * Whether money may still come for a purchase, so that its address cannot be erased now. No buyer has seen a page that
 * the provider has never confirmed: that purchase only has to be closed.
 */
export function mayStillBePaid({ state, sessionId }: Purchase): boolean {
  return state === 'processing' || (state === 'open' && sessionId !== null)
}
