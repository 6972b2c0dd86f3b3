import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import type { Ports } from '../ports.ts'

/** Whether the address has premium at this moment. */
export async function checkPremium(
  ports: Pick<Ports, 'premiumGrants'>,
  email: Email,
): Promise<boolean> {
  return hasPremium(await ports.premiumGrants.findByEmail(email))
}

/** Throws `premium_required` unless the address has premium at this moment. */
export async function requirePremium(
  ports: Pick<Ports, 'premiumGrants'>,
  email: Email,
): Promise<void> {
  if (!(await checkPremium(ports, email))) throw new DomainError('premium_required')
}
