import { expect, test } from 'bun:test'
import { timeBudget } from '../../../../infrastructure/postgres/connection/time-budget.ts'

function openBudget() {
  let nowMs = 0
  const budget = timeBudget({ limitMs: 1000, monotonicMs: () => nowMs })
  function pass(milliseconds: number) {
    nowMs += milliseconds
  }
  return { ...budget, pass }
}

test('uses of one request have one time together, however many there are', () => {
  const { forRequest, begin, pass } = openBudget()
  forRequest(() => {
    const first = begin()
    pass(600)
    first.end()
    pass(5000)
    const second = begin()
    expect(second.leftMs()).toBe(400)
    pass(500)
    expect(second.leftMs()).toBe(0)
    second.end()
    expect(begin().leftMs()).toBe(0)
  })
})

test('what uses take at the same time counts once, and one that begins meanwhile gets no more', () => {
  const { forRequest, begin, pass } = openBudget()
  forRequest(() => {
    const first = begin()
    pass(300)
    const second = begin()
    expect(second.leftMs()).toBe(700)
    pass(200)
    first.end()
    pass(100)
    const third = begin()
    expect(third.leftMs()).toBe(400)
    second.end()
    third.end()
    expect(begin().leftMs()).toBe(400)
  })
})

test('what is of no request, or of another, has a time of its own', () => {
  const { forRequest, begin, pass } = openBudget()
  const own = begin()
  pass(900)
  expect(own.leftMs()).toBe(100)
  expect(begin().leftMs()).toBe(1000)
  forRequest(() => expect(begin().leftMs()).toBe(1000))
})

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
