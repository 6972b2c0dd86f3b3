import { expect } from 'bun:test'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { until } from '../executable/until.ts'
import type { Question, Sample, SteadyLoad } from './steady-load.ts'

/** DATABASE_TIMEOUT of services that are tested here. */
export const TIMEOUT_MS = 1000
/**
 * What nobody gives up the kernel does: after two minutes for a connection, later for one that is silent. So this tells
 * a service that does from one that does not. Its own second is tested with timers that stand still, in
 * test/infrastructure/postgres/connection/.
 */
const GIVEN_UP_WITHIN_MS = MINUTE_MS
/** So that not only what was under way is refused, but also what comes later. */
const REFUSALS_MIN = 3

const UNAVAILABLE = /^\{"error":"Temporarily unavailable"\}$/

export type Outage = {
  readonly name: string
  /** Brings it about. What it resolves with ends it, and resolves once the database can be used again. */
  begin(): Promise<() => Promise<unknown>>
  /** The questions that cannot be answered meanwhile; all that need the database unless it is said. */
  readonly hits?: readonly string[]
  /** Whether all others are answered meanwhile. True unless it is said. */
  readonly sparesOthers?: boolean
}

/**
 * Brings an outage about under the load, waits until every question that it hits was refused, ends it, and waits until
 * all are answered again. Expects what the service promises for that time, and prints what it took. Who waits for the
 * end of the outage, or stays away after it, makes this wait in vain: each question has one client, who asks again only
 * once there is an answer.
 */
export async function outlast(load: SteadyLoad, outage: Outage): Promise<void> {
  const { questions, samples } = load
  const { hits, sparesOthers = true } = outage
  const isHit = ({ kind, needsDatabase }: Question) => hits?.includes(kind) ?? needsDatabase
  await answered(load)
  const from = samples.length
  const end = await outage.begin()
  const meanwhile = sinceNow(load)
  await until(`every question is refused: ${outage.name}`, () => {
    const refused = meanwhile().flatMap(({ kind, status }) => (status === 503 ? [kind] : []))
    const times = (kind: string) => refused.filter((one) => one === kind).length
    return questions.filter(isHit).every(({ kind }) => times(kind) >= REFUSALS_MIN)
  })
  await until(`what is spared is answered: ${outage.name}`, () =>
    questions
      .filter((question) => sparesOthers && !isHit(question))
      .every((question) => meanwhile().some((one) => isWell(one, question))),
  )
  // Also where nothing is refused, each is asked meanwhile.
  await until('each is asked', () => {
    const asked = new Set(meanwhile().map(({ kind }) => kind))
    return questions.every(({ kind }) => asked.has(kind))
  })
  await end()
  const returnedAt = performance.now()
  await answered(load)

  const own = samples.slice(from)
  const refusals = own.filter(({ status }) => status === 503)
  const slowest = own.toSorted((one, other) => other.tookMs - one.tookMs)[0]
  const last = Math.max(0, ...refusals.map(({ startedAt }) => startedAt - returnedAt))
  console.log(
    `${outage.name}: ${own.length} answers, ${refusals.length} refused, the slowest after ` +
      `${Math.round(slowest?.tookMs ?? 0)} ms (${slowest?.kind}), the last refused one begun ` +
      `${Math.round(last)} ms after the return`,
  )
  expect(own.filter((one) => !isPromised(one, questions)).map(shown)).toEqual([])
  expect(slowest?.tookMs).toBeLessThan(GIVEN_UP_WITHIN_MS)
  expect(last).toBeLessThan(GIVEN_UP_WITHIN_MS)
}

/** Resolves once each question was answered well that is asked from now on. */
async function answered(load: SteadyLoad): Promise<void> {
  const late = sinceNow(load)
  await until('all is answered well', () =>
    load.questions.every((question) => late().some((one) => isWell(one, question))),
  )
}

/** The answers, so far, to what is asked from now on. */
function sinceNow({ samples }: SteadyLoad): () => readonly Sample[] {
  const [from, now] = [samples.length, performance.now()]
  return () => samples.slice(from).filter(({ startedAt }) => startedAt >= now)
}

const isWell = (one: Sample, { kind, status }: Question) =>
  one.kind === kind && one.status === status

function isPromised(one: Sample, questions: readonly Question[]): boolean {
  if (questions.some((question) => isWell(one, question))) return true
  const { kind, status, retryAfter, text } = one
  const isNeeded = questions.some((question) => question.kind === kind && question.needsDatabase)
  if (status !== 503 || !isNeeded) return false
  if (kind === 'ready') return true
  const isSaid = kind === 'success' ? text.startsWith('<!doctype html>') : UNAVAILABLE.test(text)
  return isSaid && Number(retryAfter) > 0
}

const shown = ({ kind, status, text, tookMs, retryAfter }: Sample) =>
  `${kind}: ${status} after ${Math.round(tookMs)} ms, Retry-After ${retryAfter}, ${text.slice(0, 80)}`
