import type { Email } from '../../domain/email.ts'
import { isActive } from '../../domain/premium-grant.ts'
import type { Ports } from '../ports.ts'

type Dependencies = Pick<Ports, 'premiumGrants' | 'clock'> & {
  readonly secrets: Pick<Ports['secrets'], 'newGrantId'>
}

/** Gives an address premium by the operator's word. False, and nothing is added, where it has such a grant. */
export async function grantPremium(ports: Dependencies, email: Email): Promise<boolean> {
  const grants = await ports.premiumGrants.findByEmail(email)
  if (grants.some((grant) => grant.payment === null && isActive(grant))) return false

  const origin = { at: ports.clock.now(), by: 'operator', source: null } as const
  await ports.premiumGrants.add({ id: ports.secrets.newGrantId(), email }, origin)
  return true
}
