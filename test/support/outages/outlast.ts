import { expect } from 'bun:test'
import { until } from '../executable/until.ts'
import type { Question, Sample, SteadyLoad } from './steady-load.ts'

/** DATABASE_TIMEOUT of services that are tested here. */
export const TIMEOUT_MS = 1000
/** What a request may spend beyond that, and what the busiest machine may add. */
const BEYOND_MS = 1000
const SLACK_MS = 3000
/** How long after the database is back a request that fails may still begin. */
const RECOVERY_MS = 5000
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
 * all are answered again. Expects what the service promises for that time, and prints what it took.
 */
export async function outlast(load: SteadyLoad, outage: Outage): Promise<void> {
  const { questions, samples } = load
  const { hits, sparesOthers = true } = outage
  const isHit = ({ kind, needsDatabase }: Question) => hits?.includes(kind) ?? needsDatabase
  await answered(load, performance.now())
  const from = samples.length
  const begunAt = performance.now()
  const end = await outage.begin()
  await until(`every question is refused: ${outage.name}`, () => {
    const refused = refusalsSince(load, begunAt).map(({ kind }) => kind)
    const times = (kind: string) => refused.filter((one) => one === kind).length
    return questions.filter(isHit).every(({ kind }) => times(kind) >= REFUSALS_MIN)
  })
  // Also where nothing is refused, each is asked meanwhile.
  await until('each is asked', () => {
    const asked = new Set(
      samples.filter(({ startedAt }) => startedAt >= begunAt).map(({ kind }) => kind),
    )
    return questions.every(({ kind }) => asked.has(kind))
  })
  const endedAt = performance.now()
  await end()
  const returnedAt = performance.now()
  await answered(load, returnedAt + RECOVERY_MS / 5)

  const own = samples.slice(from)
  const refusals = refusalsSince(load, begunAt)
  const slowest = own.toSorted((one, other) => other.tookMs - one.tookMs)[0]
  const last = Math.max(0, ...refusals.map(({ startedAt }) => startedAt - returnedAt))
  console.log(
    `${outage.name}: ${own.length} answers, ${refusals.length} refused, the slowest after ` +
      `${Math.round(slowest?.tookMs ?? 0)} ms (${slowest?.kind}), the last refused one begun ` +
      `${Math.round(last)} ms after the return`,
  )
  const spared = sparesOthers ? questions.filter((question) => !isHit(question)) : []
  const meanwhile = own.filter(({ startedAt }) => startedAt >= begunAt && startedAt < endedAt)
  expect(spared.filter((question) => !meanwhile.some((one) => isWell(one, question)))).toEqual([])
  expect(own.filter((one) => !isPromised(one, questions)).map(shown)).toEqual([])
  expect(slowest?.tookMs).toBeLessThan(TIMEOUT_MS + BEYOND_MS + SLACK_MS)
  expect(last).toBeLessThan(RECOVERY_MS)
}

/** Resolves once each question was answered well that was asked since. */
async function answered({ questions, samples }: SteadyLoad, since: number): Promise<void> {
  await until('all is answered well', () => {
    const late = samples.slice(-400).filter(({ startedAt }) => startedAt >= since)
    return questions.every(({ kind, status }) =>
      late.some((one) => one.kind === kind && one.status === status),
    )
  })
}

function refusalsSince({ samples }: SteadyLoad, since: number): Sample[] {
  return samples.filter(({ startedAt, status }) => startedAt >= since && status === 503)
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
