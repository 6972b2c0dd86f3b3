import { hasFields, localStore, readJson } from './storage.ts'

/**
 * Proof that this very browser has proved an address: a secret that only it knows (RFC 7636, method S256). It logs in
 * the buyer who comes back from the payment page, without another code.
 */
export type Proof = {
  readonly email: string
  readonly codeVerifier: string
  /** When the verification ends, in milliseconds since 1970. */
  readonly until: number
  /** Whether a payment page was asked for since: the address may have paid. */
  readonly mayHavePaid?: true
}

const VERIFIER_BYTES = 32

/** A new secret and the digest of it for the service. Null where the browser offers no digests: outside of https. */
export async function newChallenge(): Promise<{
  codeVerifier: string
  codeChallenge: string
} | null> {
  if (!isSecureContext) return null
  const codeVerifier = base64Url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return { codeVerifier, codeChallenge: base64Url(new Uint8Array(digest)) }
}

/** Two tabs may have proved two addresses. */
export function keepProof(proof: Proof): void {
  write([...readProofs().filter(({ email }) => email !== proof.email), proof])
}

export function dropProof(address: string): void {
  write(readProofs().filter(({ email }) => email !== address))
}

export function dropAllProofs(): void {
  write([])
}

/** Null when there is none for the address, or none that still counts. */
export function findProof(address: string): Proof | null {
  return readProofs().find(({ email }) => email === address) ?? null
}

/** The one that was kept last. */
export function latestProof(): Proof | null {
  return readProofs().at(-1) ?? null
}

function readProofs(): readonly Proof[] {
  const proofs = readJson(localStore, 'proofs', areProofs) ?? []
  return proofs.filter(({ until }) => Date.now() < until)
}

function write(proofs: readonly Proof[]): void {
  localStore.write('proofs', proofs.length > 0 ? JSON.stringify(proofs) : null)
}

function areProofs(value: unknown): value is Proof[] {
  const types = { email: 'string', codeVerifier: 'string', until: 'number' } as const
  return Array.isArray(value) && value.every((one) => hasFields(one, types))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
