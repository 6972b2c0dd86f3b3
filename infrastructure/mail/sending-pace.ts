import { Unavailable } from '../../application/unavailable.ts'
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import type { AnnouncedPace, MailLimit } from './announced-pace.ts'

export type Timers = {
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs(): number
  /** Calls `act` once after so many milliseconds, unless what it returns is called before. */
  schedule(milliseconds: number, act: () => void): () => void
}

/** How a try ended that the provider answered: with the mail, or with a refusal for now, as if there were too many. */
export type Answer = { readonly announced: AnnouncedPace; readonly tooMany: Unavailable | null }

/**
 * One try to hand a mail over, within so many milliseconds. It has sent nothing where its answer is a refusal. What it
 * throws is no matter of pace, and ends the sending.
 */
export type Try = (timeLeftMs: number) => Promise<Answer>

export type SendingPace = {
  /** Resolves once a try was taken. Throws what a try throws, and `Unavailable('email')` when the time is up. */
  send(tryOnce: Try, mail: { isCustomer: boolean }): Promise<void>
}

/** Until the first try has ended, by when a provider has said how fast it takes mails: Resend's limit for a team. */
const ASSUMED_LIMIT: MailLimit = { count: 5, windowMs: SECOND_MS }
/** A provider that has not answered within this time has counted the mail by then. */
const COUNTED_WITHIN_MS = SECOND_MS
/** After how long a refused mail is tried again, where the provider does not say that, and at least and at most. */
const PAUSE_MS = { unsaid: SECOND_MS, min: SECOND_MS / 4, max: MINUTE_MS }
/** Refusals of two mails within this time say that it is the pace. */
const SAME_TIME_MS = SECOND_MS
/** Refusals within this time say how many go at a time, and after so long without one it is one more. */
const ONE_MORE_AFTER_MS = MINUTE_MS
/** No try begins in the last tenth of the time: cut off early, its outcome would not be known. */
const LAST_PART = 10
/** In each line. */
const WAITING_MAX = 500

type Waiting = {
  readonly tryOnce: Try
  readonly isCustomer: boolean
  readonly deadlineMs: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** The last refusal for now, and until when the mail waits for it; null before the first. */
  readonly refused: { readonly tooMany: Unavailable; readonly untilMs: number } | null
}

// Why: docs/decisions.md#mails-wait-for-the-provider-in-two-lines
/**
 * Hands mails to one provider as fast as it takes them, and tries those again that it refuses for now. Mails that wait
 * stand in two lines, and no stranger's goes out while a customer's could. Each has `timeoutMs` from when it was asked
 * for. A mail that cannot be in time is refused at once, and so is one for which its line has no place.
 *
 * A refusal of one mail may be the matter of that mail alone, so it goes behind the others, and they go on. Only where
 * others are refused as well, with none taken in between, do all wait. How many go at a time is learnt in the same way,
 * from how many the provider had when it refused more, and is remembered.
 */
export function sendingPace({
  timers,
  timeoutMs,
  atOnceMax = Number.POSITIVE_INFINITY,
}: {
  timers: Timers
  timeoutMs: number
  /** Never so many tries at a time. */
  atOnceMax?: number
}): SendingPace {
  const lines = { customers: [] as Waiting[], strangers: [] as Waiting[] }
  let limit: MailLimit | null = ASSUMED_LIMIT
  let atOnce = atOnceMax
  /** Until when no mail goes, and none of those that were refused. */
  const paused = { allUntilMs: Number.NEGATIVE_INFINITY, refusedUntilMs: Number.NEGATIVE_INFINITY }
  let lastRefusal: { of: Try; atMs: number; taken: number } | null = null
  let calmSinceMs = Number.NEGATIVE_INFINITY
  let underWay = 0
  let taken = 0
  /** Until when each try counts for the provider that is under way, or that the limit may still count. */
  const counted = new Set<{ untilMs: number }>()
  let cancelTimer = () => {}

  const lineOf = ({ isCustomer }: Pick<Waiting, 'isCustomer'>) =>
    isCustomer ? lines.customers : lines.strangers
  const windowMs = () => limit?.windowMs ?? 0

  /** Starts every try whose turn it is, ends what cannot be in time, and comes back when the next thing is due. */
  function advance(): void {
    cancelTimer()
    const now = timers.monotonicMs()
    if (limit) forgetUncounted(now)
    refuseLate(now)
    let dueMs = nextStartMs(now)
    for (let next = takeNext(now, dueMs); next; next = takeNext(now, dueMs)) {
      void start(next, now)
      dueMs = nextStartMs(now)
    }
    comeBack(now, dueMs)
  }

  function forgetUncounted(now: number): void {
    for (const count of counted) if (count.untilMs <= now) counted.delete(count)
  }

  /** Those that were refused come after all that were not. */
  function takeNext(now: number, dueMs: number): Waiting | null {
    if (dueMs > now) return null
    for (const line of [lines.customers, lines.strangers]) {
      const ready = line.filter((mail) => readyMs(mail) <= now)
      const next = ready.find(({ refused }) => refused === null) ?? ready[0]
      if (next) {
        line.splice(line.indexOf(next), 1)
        return next
      }
    }
    return null
  }

  /** When the mail itself may be tried, whatever the others do. */
  function readyMs({ refused }: Waiting): number {
    return refused
      ? Math.max(paused.allUntilMs, paused.refusedUntilMs, refused.untilMs)
      : paused.allUntilMs
  }

  /** When the provider may get another try; Infinity where only an answer can say. */
  function nextStartMs(now: number): number {
    if (underWay >= atOnce) return Number.POSITIVE_INFINITY
    if (limit === null || counted.size < limit.count) return now
    const ends = Array.from(counted, ({ untilMs }) => untilMs).sort((left, right) => right - left)
    return ends[limit.count - 1] ?? now
  }

  function comeBack(now: number, dueMs: number): void {
    const waiting = [...lines.customers, ...lines.strangers]
    if (waiting.length === 0) return
    const nextMs = waiting.map((mail) =>
      Math.min(lastStartMs(mail), Math.max(dueMs, readyMs(mail))),
    )
    cancelTimer = timers.schedule(Math.min(...nextMs) - now, advance)
  }

  const lastStartMs = ({ deadlineMs }: Waiting) => deadlineMs - timeoutMs / LAST_PART

  function refuseLate(now: number): void {
    const isLate = (mail: Waiting) => lastStartMs(mail) <= Math.max(now, readyMs(mail))
    for (const line of [lines.customers, lines.strangers]) {
      for (const mail of line.filter(isLate)) {
        line.splice(line.indexOf(mail), 1)
        mail.reject(mail.refused?.tooMany ?? noTurn())
      }
    }
  }

  async function start(mail: Waiting, now: number): Promise<void> {
    const countedMs = now + COUNTED_WITHIN_MS
    const count = { untilMs: countedMs + windowMs() }
    counted.add(count)
    const besideAtStart = underWay++
    try {
      const { announced, tooMany } = await mail.tryOnce(mail.deadlineMs - now)
      if (tooMany === null) {
        limit = announced.limit
        beTaken()
        mail.resolve()
      } else {
        limit = announced.limit ?? (limit === ASSUMED_LIMIT ? null : limit)
        putBehind(mail, { announced, tooMany, besideAtStart })
      }
    } catch (error) {
      if (limit === ASSUMED_LIMIT) limit = null
      mail.reject(error)
    }
    underWay--
    const answeredMs = timers.monotonicMs()
    count.untilMs = Math.min(countedMs, answeredMs) + windowMs()
    if (count.untilMs <= answeredMs) counted.delete(count)
    advance()
  }

  function beTaken(): void {
    taken++
    const now = timers.monotonicMs()
    if (now - calmSinceMs < ONE_MORE_AFTER_MS) return
    calmSinceMs = now
    atOnce = Math.min(atOnce + 1, atOnceMax)
  }

  function putBehind(
    mail: Waiting,
    {
      announced,
      tooMany,
      besideAtStart,
    }: { announced: AnnouncedPace; tooMany: Unavailable; besideAtStart: number },
  ): void {
    const now = timers.monotonicMs()
    const saidMs = announced.retryAfterMs ?? PAUSE_MS.unsaid
    const untilMs = now + Math.min(Math.max(saidMs, PAUSE_MS.min), PAUSE_MS.max)
    const beside = underWay - 1
    const other = lastRefusal?.of === mail.tryOnce ? null : lastRefusal
    const agoMs = other ? now - other.atMs : Number.POSITIVE_INFINITY
    // An answer may come so late that all others have ended.
    const had = beside || besideAtStart
    if (agoMs <= ONE_MORE_AFTER_MS && had > 0 && limit === null) atOnce = Math.min(atOnce, had)
    const mayStillBeTaken = beside > 0 && announced.retryAfterMs === null
    if (agoMs <= SAME_TIME_MS && other?.taken === taken && !mayStillBeTaken) {
      paused[mail.refused ? 'refusedUntilMs' : 'allUntilMs'] = untilMs
    }
    lastRefusal = { of: mail.tryOnce, atMs: now, taken }
    calmSinceMs = now
    lineOf(mail).push({ ...mail, refused: { tooMany, untilMs } })
  }

  return {
    send(tryOnce, { isCustomer }) {
      const line = lineOf({ isCustomer })
      if (line.length >= WAITING_MAX) return Promise.reject(noTurn())
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const deadlineMs = timers.monotonicMs() + timeoutMs
      line.push({ tryOnce, isCustomer, deadlineMs, resolve, reject, refused: null })
      advance()
      return promise
    },
  }
}

/** Nothing was handed over. */
function noTurn(): Unavailable {
  const cause = new Error('the mail provider takes fewer mails at a time than there are')
  return new Unavailable('email', { cause, answered: true })
}
