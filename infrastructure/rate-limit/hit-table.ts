import { type PlaceKey, placeIndex } from './place-index.ts'

/** The accepted requests of one window, by the places that count them. Every call takes constant time, over many. */
export type HitTable = {
  /** How full it is for a place of the crowd, from 0 to 1: of places, of hits, or of places of the crowd. */
  readonly fill: (crowd: number) => number
  readonly hasRoom: (needed: { places: number; hits: number }) => boolean
  /** Forgets the hits whose window has passed, and frees the places that have none left. */
  readonly forgetExpired: (now: number) => void
  /** 0 where the key has no place. */
  readonly find: (key: PlaceKey) => number
  /** A place for a key that has none, as one of a crowd. It has to get a hit at once. */
  readonly open: (key: PlaceKey, crowd: number) => number
  /** Counts a hit at the place, among at most `limit` in a window. */
  readonly hit: (place: number, now: number, limit: number) => void
  readonly count: (place: number) => number
  /** Until the oldest hit of the place is forgotten. */
  readonly waitMs: (place: number, now: number) => number
  /** Until the oldest hit of all is forgotten. */
  readonly shortestWaitMs: (now: number) => number
  /** Grows with each place that is opened. */
  readonly openedAs: (place: number) => number
  /** Notes that the place has counted somebody who has no place that is narrower. */
  readonly markShared: (place: number, now: number) => void
  /** Whether such a hit has not been forgotten yet. */
  readonly isShared: (place: number, now: number) => boolean
  /** Whether there may be a place that is shared. */
  readonly isAnyShared: (now: number) => boolean
}

/** Up to this limit a place keeps each hit by itself. Beyond, hits of the same part of a window are kept as one. */
const EXACT_MAX = 256
const TICKS_PER_WINDOW = 256

const CAPACITY_AT_FIRST = 256

/** The hits are kept in the order in which they expire: those that stand for themselves, and those of whole ticks. */
const QUEUES = [0, 1] as const

/** Takes at most 49 bytes a place and 24 a record, and grows by doubling. A place has at most 257 records. */
export function hitTable({
  placesMax,
  recordsMax,
  windowMs,
  crowds,
  crowdMax,
  seeds,
}: {
  placesMax: number
  recordsMax: number
  windowMs: number
  /** Crowds have the numbers from 0 to `crowds` - 1. */
  crowds: number
  /** As many places fill a crowd. */
  crowdMax: number
  seeds: readonly [number, number]
}): HitTable {
  const index = placeIndex(placesMax, seeds)
  const tickMs = windowMs / TICKS_PER_WINDOW
  let records = allocateRecords(Math.min(CAPACITY_AT_FIRST, recordsMax))
  let places = allocatePlaces(Math.min(CAPACITY_AT_FIRST, placesMax))
  let recordsUsed = 0
  let lastUsed = 0
  let freed = 0
  let opened = 0
  let lastSharedAt = Number.NEGATIVE_INFINITY
  const queueFirst = [0, 0]
  const queueLast = [0, 0]
  const crowdSizes = new Uint32Array(crowds)

  function countInCrowd(crowd: number, change: 1 | -1): void {
    crowdSizes[crowd] = (crowdSizes[crowd] ?? 0) + change
  }

  function takeRecord(): number {
    recordsUsed++
    if (freed === 0) {
      if (lastUsed + 1 === records.at.length) {
        records = grown(records, allocateRecords(Math.min(2 * lastUsed, recordsMax)))
      }
      return ++lastUsed
    }
    const record = freed
    freed = records.nextInQueue[record] ?? 0
    return record
  }

  function append(place: number, at: number, queue: 0 | 1): void {
    const record = takeRecord()
    records.at[record] = at
    records.hits[record] = 1
    records.place[record] = place
    records.nextInPlace[record] = 0
    records.nextInQueue[record] = 0
    const lastOfPlace = places.last[place] ?? 0
    if (lastOfPlace === 0) places.first[place] = record
    else records.nextInPlace[lastOfPlace] = record
    places.last[place] = record
    const lastOfQueue = queueLast[queue] ?? 0
    if (lastOfQueue === 0) queueFirst[queue] = record
    else records.nextInQueue[lastOfQueue] = record
    queueLast[queue] = record
  }

  /** Forgets the first record of a queue, which is the first of its place, too. */
  function forgetFirst(queue: 0 | 1, record: number): void {
    queueFirst[queue] = records.nextInQueue[record] ?? 0
    if (queueFirst[queue] === 0) queueLast[queue] = 0
    const place = records.place[record] ?? 0
    places.first[place] = records.nextInPlace[record] ?? 0
    places.count[place] = (places.count[place] ?? 0) - (records.hits[record] ?? 0)
    records.nextInQueue[record] = freed
    freed = record
    recordsUsed--
    if (places.count[place] !== 0) return
    places.last[place] = 0
    countInCrowd(places.crowd[place] ?? 0, -1)
    index.remove(place)
  }

  function waitMsOf(record: number, now: number): number {
    return record === 0 ? 0 : (records.at[record] ?? 0) + windowMs - now
  }

  return {
    fill: (crowd) =>
      Math.max(
        index.size() / placesMax,
        recordsUsed / recordsMax,
        (crowdSizes[crowd] ?? 0) / crowdMax,
      ),
    hasRoom: (needed) =>
      index.size() + needed.places <= placesMax && recordsUsed + needed.hits <= recordsMax,
    forgetExpired(now) {
      for (const queue of QUEUES) {
        for (;;) {
          const record = queueFirst[queue] ?? 0
          if (record === 0 || waitMsOf(record, now) > 0) break
          forgetFirst(queue, record)
        }
      }
    },
    find: index.find,
    open(key, crowd) {
      const place = index.add(key)
      if (place >= places.count.length) {
        places = grown(places, allocatePlaces(Math.min(2 * place, placesMax)))
      }
      places.openedAs[place] = ++opened
      places.sharedAt[place] = Number.NEGATIVE_INFINITY
      places.crowd[place] = crowd
      countInCrowd(crowd, 1)
      return place
    },
    hit(place, now, limit) {
      const isExact = limit <= EXACT_MAX
      // The end of the tick: never forgotten before its window has passed.
      const at = isExact ? now : Math.ceil(now / tickMs) * tickMs
      const last = places.last[place] ?? 0
      places.count[place] = (places.count[place] ?? 0) + 1
      if (last !== 0 && records.at[last] === at) records.hits[last] = (records.hits[last] ?? 0) + 1
      else append(place, at, isExact ? 0 : 1)
    },
    count: (place) => places.count[place] ?? 0,
    waitMs: (place, now) => waitMsOf(places.first[place] ?? 0, now),
    shortestWaitMs(now) {
      const waits = queueFirst.filter((record) => record !== 0).map((first) => waitMsOf(first, now))
      return Math.min(windowMs, ...waits)
    },
    openedAs: (place) => places.openedAs[place] ?? 0,
    markShared(place, now) {
      places.sharedAt[place] = now
      lastSharedAt = now
    },
    isShared: (place, now) => (places.sharedAt[place] ?? 0) > now - windowMs,
    isAnyShared: (now) => lastSharedAt > now - windowMs,
  }
}

function allocateRecords(capacity: number) {
  return {
    at: new Float64Array(capacity + 1),
    hits: new Uint32Array(capacity + 1),
    place: new Uint32Array(capacity + 1),
    nextInPlace: new Uint32Array(capacity + 1),
    nextInQueue: new Uint32Array(capacity + 1),
  }
}

function allocatePlaces(capacity: number) {
  return {
    count: new Uint32Array(capacity + 1),
    first: new Uint32Array(capacity + 1),
    last: new Uint32Array(capacity + 1),
    openedAs: new Float64Array(capacity + 1),
    sharedAt: new Float64Array(capacity + 1),
    crowd: new Uint32Array(capacity + 1),
  }
}

/** The larger columns, with what was in the smaller ones. */
function grown<Columns extends Readonly<Record<string, Float64Array | Uint32Array>>>(
  smaller: Columns,
  larger: Columns,
): Columns {
  for (const [name, column] of Object.entries(smaller)) larger[name]?.set(column)
  return larger
}
