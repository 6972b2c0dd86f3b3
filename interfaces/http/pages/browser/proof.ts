import { lasting } from './memory.ts'

/**
 * That this very browser has proved an address, by a secret that only it knows (RFC 7636, method S256): with it the
 * buyer who comes back from the payment page is logged in without another code.
 */
export type Proof = {
  readonly email: string
  readonly codeVerifier: string
  /** When the verification ends, in milliseconds since 1970. */
  readonly until: number
}

const VERIFIER_BYTES = 32

/** A new secret and what the service is told of it. Null where the browser offers no digests: outside of https. */
export async function newChallenge(): Promise<{
  codeVerifier: string
  codeChallenge: string
} | null> {
  if (!isSecureContext) return null
  const codeVerifier = base64Url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return { codeVerifier, codeChallenge: base64Url(new Uint8Array(digest)) }
}

export function keepProof(proof: Proof | null): void {
  lasting.write('proof', proof && JSON.stringify(proof))
}

/** Null when there is none, or none that still counts. */
export function findProof(): Proof | null {
  try {
    const proof: Partial<Proof> | null = JSON.parse(lasting.read('proof') ?? 'null')
    const { email, codeVerifier, until } = proof ?? {}
    const isWhole =
      typeof email === 'string' && typeof codeVerifier === 'string' && typeof until === 'number'
    return isWhole && Date.now() < until ? { email, codeVerifier, until } : null
  } catch {
    return null
  }
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
