import { Unavailable } from '../../application/unavailable.ts'
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import type { AnnouncedPace, MailLimit } from './announced-pace.ts'

export type Timers = {
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs(): number
  /** Calls `act` once after so many milliseconds, unless what it returns is called before. */
  schedule(milliseconds: number, act: () => void): () => void
}

/** How a try ended that the provider answered: with the mail, or with a refusal because there are too many. */
export type Answer = { readonly announced: AnnouncedPace; readonly tooMany: Unavailable | null }

/**
 * One try to hand a mail over, within so many milliseconds. It has sent nothing where its answer says that there are
 * too many. What it throws is no matter of pace, and ends the sending.
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
/** How long a provider is left alone that says "too many", where it does not say how long, and at least and at most. */
const PAUSE_MS = { unsaid: SECOND_MS, min: SECOND_MS / 4, max: MINUTE_MS }
/** No try begins in the last tenth of the time: cut off early, its outcome would not be known. */
const LAST_PART = 10
/** In each line. */
const WAITING_MAX = 500

type Waiting = {
  readonly tryOnce: Try
  readonly isCustomer: boolean
  /** The place in its line, also after a try that was refused. */
  readonly turn: number
  readonly deadlineMs: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** The provider's last "too many". */
  readonly tooMany: Unavailable | null
}

// Why: docs/decisions.md#mails-wait-for-the-provider-in-two-lines
/**
 * Hands mails to one provider as fast as it says that it takes them, and tries those again of which it says that they
 * are too many. Mails that wait stand in two lines, and no stranger's goes out while a customer's waits. Each has
 * `timeoutMs` from when it was asked for. A mail that cannot be in time is refused at once, and so is one for which its
 * line has no place. One that says nothing gets all mails at once, and after "too many" one at a time.
 */
export function sendingPace({
  timers,
  timeoutMs,
}: {
  timers: Timers
  timeoutMs: number
}): SendingPace {
  const lines = { customers: [] as Waiting[], strangers: [] as Waiting[] }
  let limit: MailLimit | null = ASSUMED_LIMIT
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let isOneByOne = false
  let underWay = 0
  let turns = 0
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
    for (let next = takeNext(dueMs <= now); next; next = takeNext(dueMs <= now)) {
      void start(next, now)
      dueMs = nextStartMs(now)
    }
    comeBack(now, dueMs)
  }

  function forgetUncounted(now: number): void {
    for (const count of counted) if (count.untilMs <= now) counted.delete(count)
  }

  function takeNext(isDue: boolean): Waiting | undefined {
    return isDue ? (lines.customers.shift() ?? lines.strangers.shift()) : undefined
  }

  /** When the next try may start; Infinity where only an answer can say. */
  function nextStartMs(now: number): number {
    if (isOneByOne && underWay > 0) return Number.POSITIVE_INFINITY
    if (limit === null || counted.size < limit.count) return Math.max(now, pausedUntilMs)
    const ends = Array.from(counted, ({ untilMs }) => untilMs).sort((left, right) => right - left)
    return Math.max(ends[limit.count - 1] ?? now, pausedUntilMs)
  }

  function comeBack(now: number, dueMs: number): void {
    const heads = [lines.customers[0], lines.strangers[0]].filter((one) => one !== undefined)
    if (heads.length === 0) {
      if (underWay === 0) isOneByOne = false
      return
    }
    const nextMs = Math.min(dueMs, ...heads.map(lastStartMs))
    cancelTimer = timers.schedule(nextMs - now, advance)
  }

  const lastStartMs = ({ deadlineMs }: Waiting) => deadlineMs - timeoutMs / LAST_PART

  function refuseLate(now: number): void {
    const startMs = Math.max(now, pausedUntilMs)
    for (const line of [lines.customers, lines.strangers]) {
      for (let [mail] = line; mail && lastStartMs(mail) <= startMs; [mail] = line) {
        line.shift()
        mail.reject(mail.tooMany ?? noTurn())
      }
    }
  }

  async function start(mail: Waiting, now: number): Promise<void> {
    const countedMs = now + COUNTED_WITHIN_MS
    const count = { untilMs: countedMs + windowMs() }
    counted.add(count)
    underWay++
    try {
      const answer = await mail.tryOnce(mail.deadlineMs - now)
      learn(answer)
      if (answer.tooMany === null) mail.resolve()
      else putBack(mail, answer.tooMany)
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

  function learn({ announced, tooMany }: Answer): void {
    if (tooMany === null) {
      limit = announced.limit
      if (limit) isOneByOne = false
      return
    }
    limit = announced.limit ?? (limit === ASSUMED_LIMIT ? null : limit)
    isOneByOne = announced.limit === null
    const saidMs = announced.retryAfterMs ?? PAUSE_MS.unsaid
    const pauseMs = Math.min(Math.max(saidMs, PAUSE_MS.min), PAUSE_MS.max)
    pausedUntilMs = Math.max(pausedUntilMs, timers.monotonicMs() + pauseMs)
  }

  function putBack(mail: Waiting, tooMany: Unavailable): void {
    const line = lineOf(mail)
    const later = line.findIndex(({ turn }) => turn > mail.turn)
    line.splice(later === -1 ? line.length : later, 0, { ...mail, tooMany })
  }

  return {
    send(tryOnce, { isCustomer }) {
      const line = lineOf({ isCustomer })
      if (line.length >= WAITING_MAX) return Promise.reject(noTurn())
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const deadlineMs = timers.monotonicMs() + timeoutMs
      const turn = turns++
      line.push({ tryOnce, isCustomer, turn, deadlineMs, resolve, reject, tooMany: null })
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
