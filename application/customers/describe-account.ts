import type { Email } from '../../domain/email.ts'
import type { AuditEntry } from '../../domain/grant-change.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import type { Ports } from '../ports.ts'
import type { Account } from '../store.ts'

export type AccountDescription = Omit<Account, 'verification'> & {
  readonly email: Email
  readonly hasPremium: boolean
  /** Every change of a grant, oldest first. */
  readonly audit: readonly AuditEntry[]
}

/** Everything that decides whether an address has premium. An unknown address has an empty account. */
export async function describeAccount(
  { purchases, auditTrail }: Pick<Ports, 'purchases' | 'auditTrail'>,
  email: Email,
): Promise<AccountDescription> {
  const { verification: _, ...account } = await purchases.findAccount(email)
  const audit = await auditTrail.findByEmail(email)
  return { email, hasPremium: hasPremium(account.grants), ...account, audit }
}
