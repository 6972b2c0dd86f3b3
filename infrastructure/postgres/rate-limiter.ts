import type { RateLimiter, RateLimitVerdict } from '../../application/ports.ts'
import type { PostgresDatabase } from './connection/database.ts'
import type { TimeBudget } from './connection/time-budget.ts'
import { type CountedSubject, subjectCounter } from './rate-limit-levels.ts'
import { shareRoundTrips } from './shared-round-trips.ts'

type Database = Pick<PostgresDatabase, 'query'>

export type RateLimits = {
  /** Rejects with `Unavailable('storage')` where the database fails. Limiters of different names count apart. */
  limiter(limits: LimiterOptions): RateLimiter
}

type LimiterOptions = Parameters<typeof subjectCounter>[0]

/** A request that waits for its verdict. */
type Take = { readonly subject: CountedSubject; readonly windowMs: number }

/** Requests of one subject, which are judged one after the other. */
type Takes = Take & { readonly places: number[] }

/** A row of take_rate_limits: see migrations/0004_take_rate_limits.sql. */
type Judged = {
  readonly accepted: number
  readonly level: number
  readonly remaining: number
  readonly reset_ms: number
  readonly refused_level: number
  readonly refused_reset_ms: number
}

/** More than a replica has under way, but in a flood. */
const TAKES_MAX = 256
/** While one round trip is under way, the next can be. More would only take connections from others. */
const ROUND_TRIPS_MAX = 2

const TAKE = 'SELECT * FROM take_rate_limits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)'

// Why: docs/decisions.md#rate-limits-of-several-replicas-are-counted-in-the-database
/** Limits that all replicas on one database share. Requests of one replica share round trips, whatever limits them. */
export function sharedRateLimits({
  database,
  budget,
  nowMs = () => null,
}: {
  database: Database
  budget: Pick<TimeBudget, 'begin'>
  /** Milliseconds since 1970, or null for the database's clock. */
  nowMs?: () => number | null
}): RateLimits {
  const judge = shareRoundTrips({
    run: (takes: readonly Take[]) => judgeTogether(database, takes, nowMs()),
    itemsMax: TAKES_MAX,
    inFlightMax: ROUND_TRIPS_MAX,
    budget,
  })

  return {
    limiter(options) {
      const { limit, windowMs } = options
      const count = subjectCounter(options)
      return {
        limit,
        windowMs,
        take: (subject) => judge({ subject: count(subject), windowMs }),
      }
    },
  }
}

/**
 * Removes places whose window has passed, after a look at no more than `looksMax` whose time may have come. Returns
 * whether there may be more. Several replicas may do it at once.
 */
export async function pruneRateLimits(
  database: Database,
  looksMax: number,
  nowMs: number | null = null,
): Promise<boolean> {
  const [pruned] = await database.query<{ looks: number }>(
    'SELECT prune_rate_limits($1, $2) AS looks',
    [looksMax, nowMs],
  )
  return pruned?.looks === looksMax
}

async function judgeTogether(
  database: Database,
  takes: readonly Take[],
  nowMs: number | null,
): Promise<RateLimitVerdict[]> {
  const groups = groupBySubject(takes)
  const rows = await database.query<Judged>(TAKE, valuesOf(groups, nowMs))
  const verdicts: RateLimitVerdict[] = []
  for (const [index, group] of groups.entries()) {
    const row = rows[index]
    if (!row) throw new Error('a request got no verdict')
    for (const [order, place] of group.places.entries()) {
      verdicts[place] = verdictOf(group.subject, row, order)
    }
  }
  return verdicts
}

function groupBySubject(takes: readonly Take[]): Takes[] {
  const groups = new Map<string | undefined, Takes>()
  for (const [place, { subject, windowMs }] of takes.entries()) {
    const key = subject.levels[0]?.key
    const group = groups.get(key)
    if (group) group.places.push(place)
    else groups.set(key, { subject, windowMs, places: [place] })
  }
  return [...groups.values()]
}

function valuesOf(groups: readonly Takes[], nowMs: number | null): unknown[] {
  const levels = groups.flatMap(({ subject }) => subject.levels)
  return [
    groups.map(({ places }) => places.length),
    groups.map(({ windowMs }) => windowMs),
    groups.map(({ subject }) => subject.scope),
    groups.map(({ subject }) => subject.placesMax),
    groups.map(({ subject }) => subject.crowd),
    groups.map(({ subject }) => subject.levels.length),
    levels.map(({ key }) => key),
    levels.map(({ budget }) => budget),
    levels.map(({ partMs }) => partMs),
    levels.map(({ openedUntil }) => openedUntil),
    levels.map(({ always }) => always),
    nowMs,
  ]
}

/** Of the requests of one subject, the first ones are accepted. */
function verdictOf({ levels }: CountedSubject, row: Judged, order: number): RateLimitVerdict {
  const accepted = order < row.accepted
  const level = levels[accepted ? row.level : row.refused_level]
  if (!level) throw new Error('a request was counted against no budget')
  return {
    accepted,
    remaining: accepted ? row.remaining - order : 0,
    resetMs: accepted ? row.reset_ms : row.refused_reset_ms,
    width: level.width,
  }
}
