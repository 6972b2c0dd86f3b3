import { expect, test } from 'bun:test'
import { timeBudget } from '../../../../infrastructure/postgres/connection/time-budget.ts'

test('a use has its time once, however often it tries, and a request has it for all its uses', async () => {
  let now = 0
  const { begin, forRequest, forUse } = timeBudget({ limitMs: 5000, monotonicMs: () => now })
  function spend(ms: number): number {
    const use = begin()
    now += ms
    const leftMs = use.leftMs()
    use.end()
    return leftMs
  }

  expect([spend(2000), spend(2000)]).toEqual([3000, 3000])
  expect(forUse(() => [spend(2000), spend(2000), spend(2000)])).toEqual([3000, 1000, 0])
  expect(forUse(() => spend(2000))).toBe(3000)
  const ofRequest = forRequest(() => [forUse(() => spend(2000)), forUse(() => spend(2000))])
  expect(ofRequest).toEqual([3000, 1000])
})
