import type { Email } from '../../domain/email.ts'
import type { Ports } from '../ports.ts'

/**
 * Revokes every grant that the address has at this moment, bought or given, and says how many. A purchase that is paid
 * later is a new grant. No money moves.
 */
export async function revokePremium(
  { premiumGrants, clock }: Pick<Ports, 'premiumGrants' | 'clock'>,
  email: Email,
): Promise<number> {
  return premiumGrants.revokeAll(email, { at: clock.now(), by: 'operator', source: null })
}
