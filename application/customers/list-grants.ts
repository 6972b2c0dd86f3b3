import type { Ports } from '../ports.ts'
import type { DatedGrant } from '../store.ts'

const PAGE_SIZE = 200

/** Every grant that there is, bought or given, oldest first, read page by page. */
export async function* listGrants({
  premiumGrants,
}: Pick<Ports, 'premiumGrants'>): AsyncGenerator<DatedGrant> {
  let after: DatedGrant | null = null
  for (;;) {
    const page: readonly DatedGrant[] = await premiumGrants.list({ after, limit: PAGE_SIZE })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return
    after = last
  }
}
