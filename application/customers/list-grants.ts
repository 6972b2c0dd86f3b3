import { readAll } from '../payments/list-purchases.ts'
import type { Ports } from '../ports.ts'
import type { DatedGrant } from '../store.ts'

/** Every grant that there is, bought or given, oldest first. */
export function listGrants({
  premiumGrants,
}: Pick<Ports, 'premiumGrants'>): AsyncGenerator<DatedGrant> {
  return readAll((page) => premiumGrants.list(page))
}
