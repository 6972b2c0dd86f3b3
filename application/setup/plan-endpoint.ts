import { addressOf, type KeptEndpoint } from './webhook-endpoints.ts'

/** What an endpoint is marked with until its signing secret has been stored. */
export const PENDING_MARK = 'pending'

/** What is to be done at the payment provider, in this order. */
export type EndpointPlan = {
  /** The endpoint that stays; null where a new one is made. */
  readonly kept: {
    readonly id: string
    /** Why it has to be mended; none where it is right. */
    readonly flaws: readonly EndpointFlaw[]
    /** The mark that it has to get; null where it has the right one, or none that setup has made. */
    readonly mark: string | null
  } | null
  /** Those that are deleted once the signing secret of the other one is stored. */
  readonly removed: readonly string[]
  /** Those that stay for the operator to judge, since they may be another machine's. */
  readonly foreign: readonly string[]
  /** Why a new one is made; null where one is kept. */
  readonly reason: 'none_there' | 'secret_unknown' | 'other_version' | null
}

type EndpointFlaw = 'disabled' | 'events'

/**
 * An endpoint can be kept where its signing secret is known here and it speaks the API version that Alibi reads, which
 * nobody can change. Known is the secret of an endpoint whose mark is that of a stored one. Of one made by hand it is
 * taken for known while the key is the one that it was stored with. The mark of another secret is that of another
 * machine, unless the settings have the key and have lost its secret: nobody but a person has such an endpoint deleted.
 */
export function planEndpoint({
  endpoints,
  wantedUrls,
  wantedEvents,
  apiVersion,
  secretMarks,
  isKeyUnchanged,
  isSecretGiven,
  isConfirmed,
}: {
  endpoints: readonly KeptEndpoint[]
  /** The addresses at which the service takes notifications. */
  wantedUrls: readonly string[]
  wantedEvents: readonly string[]
  apiVersion: string
  /** The marks of the signing secrets that are stored, or given. */
  secretMarks: readonly string[]
  isKeyUnchanged: boolean
  /** Whether the operator has just named the signing secret. */
  isSecretGiven: boolean
  /** Whether a person is asked before anything is deleted. */
  isConfirmed: boolean
}): EndpointPlan {
  const ours = endpoints.filter(({ url }) => wantedUrls.includes(addressOf(url)))
  const isKnown = ({ mark }: KeptEndpoint) => {
    if (secretMarks.length === 0) return false
    if (mark !== null && secretMarks.includes(mark)) return true
    return isSecretGiven || (mark === null && isKeyUnchanged)
  }
  const isReadable = (one: KeptEndpoint) => one.apiVersion === null || one.apiVersion === apiVersion
  const rank = ({ mark, isEnabled }: KeptEndpoint) =>
    (mark !== null && secretMarks.includes(mark) ? 2 : 0) + (isEnabled ? 1 : 0)
  const known = ours.filter(isKnown)
  const [kept] = known.filter(isReadable).toSorted((one, other) => rank(other) - rank(one))
  const isLost = isKeyUnchanged && secretMarks.length === 0
  const isForeign = ({ mark }: KeptEndpoint) =>
    !isConfirmed && !isLost && mark !== null && ![PENDING_MARK, ...secretMarks].includes(mark)
  const judged = (others: readonly KeptEndpoint[]) => ({
    removed: others.filter((one) => !isForeign(one)).map(({ id }) => id),
    foreign: others.filter(isForeign).map(({ id }) => id),
  })
  if (!kept) {
    const isOther = known.length > 0
    const reason = ours.length === 0 ? 'none_there' : isOther ? 'other_version' : 'secret_unknown'
    return { kept: null, ...judged(ours), reason }
  }

  const [firstMark = ''] = secretMarks
  const isMarkRight = kept.mark === null || secretMarks.includes(kept.mark)
  // While a secret is rolled, or two endpoints are wanted, a secret for each of them is stored.
  const others = secretMarks.length >= ours.length ? [] : ours.filter((one) => one !== kept)
  return {
    kept: {
      id: kept.id,
      flaws: [
        ...(kept.isEnabled ? [] : (['disabled'] as const)),
        ...(isSameSet(kept.events, wantedEvents) ? [] : (['events'] as const)),
      ],
      mark: isMarkRight ? null : firstMark,
    },
    ...judged(others),
    reason: null,
  }
}

/** Whether there is nothing to be done at the payment provider. */
export function isSettled({ kept, removed }: EndpointPlan): boolean {
  return kept !== null && kept.flaws.length === 0 && kept.mark === null && removed.length === 0
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return new Set(some).size === others.length && others.every((one) => some.includes(one))
}
