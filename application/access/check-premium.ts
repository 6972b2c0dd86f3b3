import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
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
