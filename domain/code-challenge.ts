import type { Brand } from './brand.ts'
import { DomainError } from './errors.ts'

// Proof Key for Code Exchange, method S256 (RFC 7636): a browser makes up a verifier. It sends the challenge while it
// proves an address, and the verifier when it comes back. The challenge does not reveal the verifier.

// Why: docs/decisions.md#a-proven-address-logs-in-by-proof-key-for-code-exchange
/** The SHA-256 of a verifier in base64url; worthless without the verifier. */
export type CodeChallenge = Brand<string, 'CodeChallenge'>

/** A secret that a browser makes up and keeps. */
export type CodeVerifier = Brand<string, 'CodeVerifier'>

/** What a challenge looks like. */
export const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** RFC 7636, section 4.1. */
export const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Throws `invalid_proof_key` for text that cannot be a SHA-256. */
export function parseCodeChallenge(input: string): CodeChallenge {
  if (!CODE_CHALLENGE.test(input)) throw new DomainError('invalid_proof_key')
  return input as CodeChallenge
}

/** Throws `invalid_proof_key` for what RFC 7636, section 4.1, does not allow. */
export function parseCodeVerifier(input: string): CodeVerifier {
  const verifier = findCodeVerifier(input)
  if (!verifier) throw new DomainError('invalid_proof_key')
  return verifier
}

/** Null for what RFC 7636, section 4.1, does not allow. */
export function findCodeVerifier(input: string): CodeVerifier | null {
  return CODE_VERIFIER.test(input) ? (input as CodeVerifier) : null
}
