import type { NoAnswer } from '../doctor/finding.ts'
import { type EndpointPlan, PENDING_MARK } from './plan-endpoint.ts'
import type { WebhookEndpoints } from './webhook-endpoints.ts'

/** What the payment provider did not let setup do, and what has been done. */
export type Settlement = {
  readonly done: readonly ('created' | 'mended' | 'removed')[]
  readonly failures: readonly EndpointFailure[]
}

export type EndpointFailure = {
  readonly step: 'create' | 'mend' | 'remove'
  readonly outcome: NoAnswer
}

/**
 * Does what the plan says, and stores the settings on the way: `store` gets the signing secret of a new endpoint, which
 * is told only once, and null where there is none. Killed between any two steps, the next run finds a mark that belongs
 * to no stored secret, or an endpoint too many, and mends or names that. An old endpoint is removed only once the
 * secret of the new one is stored.
 */
export async function settleEndpoint(
  { endpoints, markOf }: { endpoints: WebhookEndpoints; markOf: (secret: string) => string },
  {
    plan,
    wanted,
    store,
  }: {
    plan: EndpointPlan
    wanted: {
      readonly url: string
      readonly events: readonly string[]
      readonly apiVersion: string
    }
    store: (secret: string | null) => void
  },
): Promise<Settlement> {
  const done: Settlement['done'][number][] = []
  const failures: EndpointFailure[] = []
  const { kept } = plan
  if (kept) {
    store(null)
    if (kept.flaws.length > 0) {
      const mended = await endpoints.mend(kept.id, wanted)
      if (mended.kind === 'answered') done.push('mended')
      else failures.push({ step: 'mend', outcome: mended })
    }
    // Without its mark the endpoint works all the same.
    if (kept.mark !== null) await endpoints.mark(kept.id, kept.mark)
  } else {
    const created = await endpoints.create({ ...wanted, mark: PENDING_MARK })
    if (created.kind !== 'answered') {
      store(null)
      return { done, failures: [{ step: 'create', outcome: created }] }
    }
    const { id, secret } = created.value
    store(secret)
    done.push('created')
    await endpoints.mark(id, markOf(secret))
  }
  for (const id of plan.removed) {
    const removed = await endpoints.remove(id)
    if (removed.kind === 'answered') done.push('removed')
    else failures.push({ step: 'remove', outcome: removed })
  }
  return { done, failures }
}
