const MIB = 1024 * 1024

/** The payment provider's bodies have bytes of their own, which no other body can use up. */
export type BodyGroup = 'webhook' | 'other'

/** What the bodies of a group that are under way hold together at most, in bytes that have arrived. */
export const GROUP_BYTES_MAX: Readonly<Record<BodyGroup, number>> = {
  webhook: 24 * MIB,
  other: 8 * MIB,
}

/** What the bodies of a group that are not under way yet hold at most: past that, the oldest of them count at once. */
export const YOUNG_BYTES_MAX = 8 * MIB

/** How many bodies of a client may be under way, those of both groups together. */
export const CLIENT_BODIES_MAX = 8

type Body = {
  readonly group: BodyGroup
  readonly client: string
  /** Called at most once, and not after `end`: the body is to be refused, and what it holds is to be let go. */
  readonly giveWay: () => void
}

type BodyAccount = {
  /** From now on it counts as under way. */
  countAsUnderWay(): void
  /** So many more bytes of it have arrived. */
  add(bytes: number): void
  /** It has come to its end, whole or not. */
  end(): void
}

/** What the bodies that are taken in one go announce at most together. */
export const WHOLE_BYTES_MAX = MIB

export type BodyBudget = {
  /**
   * Whether a body that announces so many bytes may be taken in one go, in which what has come of it cannot be seen. If
   * so, call `release` with as many once it has ended.
   */
  reserve(bytes: number): boolean
  release(bytes: number): void
  /** Opens the account of a body whose head has come. */
  open(body: Body): BodyAccount
}

type Entry = Body & { bytes: number; state: 'young' | 'under_way' | 'gone' }

/** What a client has under way. */
type Share = { bodies: number; readonly bytes: Record<BodyGroup, number> }

// Why: docs/decisions.md#bodies-under-way-have-a-budget
/**
 * Says which bodies give way: a client's ninth, and past the bytes of a group the oldest body of the client whose
 * bodies hold most of them. Its caller says when a body counts as under way.
 */
export function bodyBudget(): BodyBudget {
  /** Each group's bodies, the oldest first. */
  const bodies: Readonly<Record<BodyGroup, Set<Entry>>> = { webhook: new Set(), other: new Set() }
  const youngBytes: Record<BodyGroup, number> = { webhook: 0, other: 0 }
  const underWayBytes: Record<BodyGroup, number> = { webhook: 0, other: 0 }
  const shares = new Map<string, Share>()
  let wholeBytes = 0

  function grow(entry: Entry, bytes: number): void {
    const { group, client, state } = entry
    entry.bytes += bytes
    if (state === 'young') youngBytes[group] += bytes
    const share = shares.get(client)
    if (state !== 'under_way' || !share) return
    underWayBytes[group] += bytes
    share.bytes[group] += bytes
  }

  function countAsUnderWay(entry: Entry): void {
    const { group, client, bytes } = entry
    const share = shares.get(client) ?? { bodies: 0, bytes: { webhook: 0, other: 0 } }
    if (share.bodies >= CLIENT_BODIES_MAX) {
      refuse(entry)
      return
    }
    youngBytes[group] -= bytes
    entry.state = 'under_way'
    shares.set(client, share)
    share.bodies++
    share.bytes[group] += bytes
    underWayBytes[group] += bytes
  }

  function remove(entry: Entry): void {
    const share = shares.get(entry.client)
    grow(entry, -entry.bytes)
    if (entry.state === 'under_way' && share && --share.bodies === 0) shares.delete(entry.client)
    entry.state = 'gone'
    bodies[entry.group].delete(entry)
  }

  function refuse(entry: Entry): void {
    remove(entry)
    entry.giveWay()
  }

  function keepWithin(group: BodyGroup): void {
    while (youngBytes[group] > YOUNG_BYTES_MAX) {
      const entry = bodies[group].values().find(({ state }) => state === 'young')
      if (!entry) return
      countAsUnderWay(entry)
    }
    while (underWayBytes[group] > GROUP_BYTES_MAX[group]) {
      const largest = largestClient(group)
      const isTheirs = ({ client, state }: Entry) => client === largest && state === 'under_way'
      const entry = bodies[group].values().find(isTheirs)
      if (!entry) return
      refuse(entry)
    }
  }

  /** Of several that hold the same, the one whose bodies have been under way for longest. */
  function largestClient(group: BodyGroup): string | null {
    let largest: string | null = null
    let most = 0
    for (const [client, { bytes }] of shares) {
      if (bytes[group] > most) [largest, most] = [client, bytes[group]]
    }
    return largest
  }

  return {
    reserve(bytes) {
      if (wholeBytes + bytes > WHOLE_BYTES_MAX) return false
      wholeBytes += bytes
      return true
    },
    release(bytes) {
      wholeBytes -= bytes
    },
    open(body) {
      const entry: Entry = { ...body, bytes: 0, state: 'young' }
      const { group } = entry
      bodies[group].add(entry)
      return {
        countAsUnderWay() {
          if (entry.state !== 'young') return
          countAsUnderWay(entry)
          keepWithin(group)
        },
        add(bytes) {
          if (entry.state === 'gone') return
          grow(entry, bytes)
          keepWithin(group)
        },
        end() {
          if (entry.state !== 'gone') remove(entry)
        },
      }
    },
  }
}
