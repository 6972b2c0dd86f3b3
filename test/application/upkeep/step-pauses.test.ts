import { expect, test } from 'bun:test'
import { stepPauses } from '../../../application/upkeep/step-pauses.ts'
import { HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'

/** A thread on which only what the test says takes time. */
function openThread() {
  let nowMs = 0
  const waits: number[] = []
  const begin = stepPauses({
    monotonicMs: () => nowMs,
    async wait(milliseconds, until) {
      if (until?.aborted) return
      waits.push(milliseconds)
      nowMs += milliseconds
    },
  })
  return {
    begin,
    waits,
    now: () => nowMs,
    work(milliseconds: number) {
      nowMs += milliseconds
    },
  }
}

test.each([3, 40, 1000])('steps of %p ms take 8 % of the time', async (stepMs) => {
  const { begin, work, now } = openThread()
  const pause = begin()
  for (let step = 0; step < 50; step++) {
    work(stepMs)
    await pause()
  }
  expect((50 * stepMs) / now()).toBeCloseTo(0.08, 5)
})

test('work that is done at the same time shares them', async () => {
  const { begin, work, now } = openThread()
  const pauses = [begin(), begin()]
  let workedMs = 0
  for (let round = 0; round < 50; round++) {
    // Each does its step before the pauses, which are one after the other.
    work(10)
    const first = pauses[0]!()
    work(10)
    await Promise.all([first, pauses[1]!()])
    workedMs += 20
  }
  expect(workedMs / now()).toBeLessThanOrEqual(0.081)
})

test('a short step is followed by a pause all the same, and one that hung by a minute at most', async () => {
  const { begin, waits, work } = openThread()
  const pause = begin()
  await pause()
  work(HOUR_MS)
  await pause()
  expect(waits).toEqual([20, MINUTE_MS])
})

test('nothing is waited for once the work has to end', async () => {
  const { begin, waits, work } = openThread()
  const pause = begin(AbortSignal.abort())
  work(1000)
  await pause()
  expect(waits).toEqual([])
})
