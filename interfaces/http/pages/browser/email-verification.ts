import { Problem } from './api.ts'
import type { Endpoints } from './endpoints.ts'
import { dropProof, findProof, keepProof, newChallenge, type Proof } from './pkce-store.ts'

/**
 * A token, where the address has premium; else whether the service still takes the address for proved, and whether a
 * payment is under way, so that there is nothing to buy.
 */
export type Standing =
  | { readonly token: string }
  | { readonly token: null; readonly isVerified: boolean; readonly isPaying: boolean }

const UNPROVED = { token: null, isVerified: false, isPaying: false } as const

/** Proves addresses by their codes, and keeps the secret by which this browser can show that it did. */
export function openEmailVerification(
  endpoints: Pick<Endpoints, 'confirmEmail' | 'logInVerified'>,
  { verificationLifetimeMs }: { verificationLifetimeMs: number },
) {
  /** The proof of a confirmation that the service may have made although its answer was lost. */
  let unanswered: Proof | null = null

  async function standingOf({ email, codeVerifier }: Proof): Promise<Standing> {
    try {
      return { token: (await endpoints.logInVerified(email, codeVerifier)).token }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const isPaying = error.word === 'error_payment_processing'
      if (isPaying || error.word === 'error_premium_required') {
        return { token: null, isVerified: true, isPaying }
      }
      if (error.word !== 'error_email_not_verified') throw error
      dropProof(email)
      return UNPROVED
    }
  }

  async function confirmWithNewProof(email: string, code: string): Promise<Standing> {
    const challenge = await newChallenge()
    const until = Date.now() + verificationLifetimeMs
    const proof = challenge && { email, codeVerifier: challenge.codeVerifier, until }
    unanswered = proof
    try {
      const { token = null, payment } = await endpoints.confirmEmail(
        email,
        code,
        challenge?.codeChallenge,
      )
      unanswered = null
      if (token !== null) return { token }
      const mayHavePaid = payment === 'processing'
      if (proof) keepProof(mayHavePaid ? { ...proof, mayHavePaid } : proof)
      const stored = { token: null, isVerified: true, isPaying: mayHavePaid && proof !== null }
      // The code is used up by now, so that a question that fails is no failure of the confirmation.
      return stored.isPaying && proof ? standingOf(proof).catch(() => stored) : stored
    } catch (error) {
      if (!(error instanceof Problem && error.isUnanswered)) unanswered = null
      throw error
    }
  }

  return {
    /** Spends a code, unless the one before has proved the address already and only the answer was lost. */
    async confirm(email: string, code: string): Promise<Standing> {
      const earlier = unanswered
      if (earlier?.email !== email) return confirmWithNewProof(email, code)

      const standing = await standingOf(earlier)
      unanswered = null
      if (standing.token === null && !standing.isVerified) return confirmWithNewProof(email, code)
      if (standing.token === null) keepProof(earlier)
      return standing
    },
    /** For the buyer who comes back: without another code as long as the verification lasts. */
    async standing(email: string): Promise<Standing> {
      const proof = findProof(email)
      return proof ? standingOf(proof) : UNPROVED
    },
  }
}
