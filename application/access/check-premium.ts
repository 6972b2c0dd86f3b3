import type { CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { isProvenBy } from '../../domain/verification.ts'
import type { AccessFacts } from '../access-repository.ts'
import type { Ports } from '../ports.ts'

type Dependencies = Pick<Ports, 'access' | 'secrets'>

/** What is stored of an address that decides whether it gets in, of one moment. */
export function findAccess({ access, secrets }: Dependencies, email: Email): Promise<AccessFacts> {
  return access.findByEmail(email, () => secrets.erasureDigests(email))
}

/** Whether the address has premium at this moment. */
export async function checkPremium(ports: Dependencies, email: Email): Promise<boolean> {
  return hasPremium((await findAccess(ports, email)).grants)
}

/** Throws `premium_required` unless the address has premium at this moment. */
export async function requirePremium(ports: Dependencies, email: Email): Promise<void> {
  if (!(await checkPremium(ports, email))) throw new DomainError('premium_required')
}

/** What the address may do; null unless a living verification of it was made in the browser that has the verifier. */
export async function findProvenAccess(
  ports: Pick<Ports, 'verifications' | 'access' | 'secrets' | 'clock'>,
  { email, codeVerifier }: { email: Email; codeVerifier: CodeVerifier },
) {
  const verification = await ports.verifications.findByEmail(email)
  // Read after the verification, so that a log-out or an erasure up to here refuses it. One after here ends the token.
  const access = await findAccess(ports, email)
  const codeChallenge = ports.secrets.challengeOf(codeVerifier)
  const { loggedOutIn } = access
  const now = ports.clock.now()
  return isProvenBy(verification, { codeChallenge, loggedOutIn, now }) ? access : null
}
