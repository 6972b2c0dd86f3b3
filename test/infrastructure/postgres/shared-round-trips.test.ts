import { describe, expect, test } from 'bun:test'
import { AsyncLocalStorage } from 'node:async_hooks'
import { timeBudget } from '../../../infrastructure/postgres/connection/time-budget.ts'
import { shareRoundTrips } from '../../../infrastructure/postgres/shared-round-trips.ts'
import { turn } from '../../support/stopped-timers.ts'

const ENOUGH_MS: number = 60_000

/** A database that answers each round trip when the test says so. */
function openShared({ itemsMax = 100, inFlightMax = 2, leftMs = () => ENOUGH_MS } = {}) {
  const trips: { items: readonly number[]; answer(): void; fail(error: Error): void }[] = []
  const uses = { begun: 0, ended: 0 }
  const ask = shareRoundTrips({
    run(items: readonly number[]) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
      trips.push({
        items,
        answer: () => resolve(items.map((item) => `answer to ${item}`)),
        fail: reject,
      })
      return promise
    },
    itemsMax,
    inFlightMax,
    budget: {
      begin() {
        uses.begun++
        return { leftMs, end: () => void uses.ended++ }
      },
    },
  })
  return { ask, trips, uses, sent: () => trips.map(({ items }) => items) }
}

/** Until all that was settled has been seen. */
const outcome = (asked: Promise<string>) => asked.catch((error: Error) => error.message)

describe('items that are asked about', () => {
  test('go at once while there is a way free', () => {
    const { ask, sent } = openShared()
    void ask(1)
    expect(sent()).toEqual([[1]])
    void ask(2)
    expect(sent()).toEqual([[1], [2]])
  })

  test('go together where they have to wait, in their order, and each gets its own answer', async () => {
    const { ask, trips, sent } = openShared()
    const asked = [1, 2, 3, 4, 5].map((item) => ask(item))
    expect(sent()).toEqual([[1], [2]])
    trips[1]!.answer()
    await turn()
    expect(sent()).toEqual([[1], [2], [3, 4, 5]])
    expect(await asked[1]).toBe('answer to 2')
    trips[2]!.answer()
    trips[0]!.answer()
    expect(await Promise.all(asked)).toEqual([1, 2, 3, 4, 5].map((item) => `answer to ${item}`))
  })

  test('go in several round trips where they are too many for one', async () => {
    const { ask, trips, sent } = openShared({ itemsMax: 3, inFlightMax: 1 })
    const asked = Promise.all([1, 2, 3, 4, 5, 6].map((item) => ask(item)))
    for (const expected of [[[1]], [[1], [2, 3, 4]], [[1], [2, 3, 4], [5, 6]]]) {
      expect(sent()).toEqual(expected)
      trips.at(-1)!.answer()
      await turn()
    }
    expect(await asked).toHaveLength(6)
  })

  test('fail with their round trip, and no others do', async () => {
    const { ask, trips, sent } = openShared({ inFlightMax: 1 })
    const asked = [1, 2, 3].map((item) => outcome(ask(item)))
    trips[0]!.fail(new Error('cut off'))
    await turn()
    const later = outcome(ask(4))
    expect(sent()).toEqual([[1], [2, 3]])
    trips[1]!.fail(new Error('refused'))
    await turn()
    trips[2]!.answer()
    expect(await Promise.all(asked)).toEqual(['cut off', 'refused', 'refused'])
    expect(await later).toBe('answer to 4')
  })

  test.each([
    ['throws', () => [], 'run threw'],
    ['gives too few answers', () => [], '1 items got 0 results'],
  ])('fail where the round trip %s, and the next one goes', async (_, answers, message) => {
    let calls = 0
    const ask = shareRoundTrips<number, number>({
      run(items) {
        calls++
        if (calls > 1) return Promise.resolve(items)
        if (message === 'run threw') throw new Error(message)
        return Promise.resolve(answers())
      },
      itemsMax: 10,
      inFlightMax: 1,
      budget: timeBudget({ limitMs: ENOUGH_MS, monotonicMs: () => 0 }),
    })
    expect(await ask(1).catch((error: Error) => error.message)).toBe(message)
    expect(await ask(2)).toBe(2)
  })
})

describe('a caller whose time is up', () => {
  test('is told so while the others of the round trip still wait', async () => {
    let leftMs = 0
    const { ask, trips, uses } = openShared({ leftMs: () => leftMs })
    const hasty = ask(1)
    await expect(hasty).rejects.toMatchObject({ name: 'Unavailable', outage: 'storage' })
    leftMs = ENOUGH_MS
    const patient = ask(2)
    for (const trip of trips) trip.answer()
    expect(await patient).toBe('answer to 2')
    expect(uses).toEqual({ begun: 2, ended: 2 })
  })

  test('is not asked about any more where its item has not gone yet', async () => {
    let leftMs = ENOUGH_MS
    const { ask, trips, sent } = openShared({ inFlightMax: 1, leftMs: () => leftMs })
    const first = ask(1)
    leftMs = 0
    await expect(ask(2)).rejects.toMatchObject({ outage: 'storage' })
    leftMs = ENOUGH_MS
    const third = ask(3)
    trips[0]!.answer()
    await turn()
    expect(sent()).toEqual([[1], [3]])
    trips[1]!.answer()
    expect(await Promise.all([first, third])).toEqual(['answer to 1', 'answer to 3'])
  })
})

test('a round trip is of no request, not even of the one that set it off', async () => {
  const requests = new AsyncLocalStorage<string>()
  const contexts = { run: [] as unknown[], begun: [] as unknown[] }
  const ask = shareRoundTrips<number, number>({
    async run(items) {
      await turn()
      contexts.run.push(requests.getStore())
      return items
    },
    itemsMax: 10,
    inFlightMax: 1,
    budget: {
      begin() {
        contexts.begun.push(requests.getStore())
        return { leftMs: () => ENOUGH_MS, end() {} }
      },
    },
  })
  const asked = ['first', 'second', 'third'].map((request, index) =>
    requests.run(request, async () => {
      await ask(index)
      return requests.getStore()
    }),
  )
  expect(await Promise.all(asked)).toEqual(['first', 'second', 'third'])
  expect(contexts).toEqual({ run: [undefined, undefined], begun: ['first', 'second', 'third'] })
})

test('what a request waits for counts against its own time, and against no other', async () => {
  let now = 0
  const budget = timeBudget({ limitMs: 5000, monotonicMs: () => now })
  const left: number[] = []
  const leftMs = () => {
    const use = budget.begin()
    try {
      return use.leftMs()
    } finally {
      use.end()
    }
  }
  const trips: (() => void)[] = []
  const ask = shareRoundTrips<number, number>({
    run(items) {
      left.push(leftMs())
      const { promise, resolve } = Promise.withResolvers<readonly number[]>()
      trips.push(() => resolve(items))
      return promise
    },
    itemsMax: 10,
    inFlightMax: 1,
    budget,
  })
  await budget.forRequest(async () => {
    const first = ask(1)
    const other = budget.forRequest(() => ask(2))
    now += 2000
    trips[0]!()
    await first
    expect(leftMs()).toBe(3000)
    now += 1000
    trips[1]!()
    await other
    expect(leftMs()).toBe(3000)
  })
  expect(left).toEqual([5000, 5000])
})
