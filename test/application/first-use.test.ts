import { describe, expect, test } from 'bun:test'
import { methodsOnFirstUse, onceAsked, onFirstUse } from '../../application/first-use.ts'

/** Makes one thing after another, and fails as often as it is told to. */
function maker<Made>(make: (number: number) => Made, { failures = 0 } = {}) {
  let calls = 0
  return {
    calls: () => calls,
    make(): Made {
      calls++
      if (calls <= failures) throw new Error(`failure ${calls}`)
      return make(calls)
    },
  }
}

describe('what is made on first use', () => {
  test('is made then, and only once', () => {
    const { calls, make } = maker((number) => ({ number }))
    const made = onFirstUse(make)
    expect(calls()).toBe(0)

    expect(made()).toEqual({ number: 1 })
    expect(made()).toBe(made())
    expect(calls()).toBe(1)
  })

  test('is known even where it is nothing', () => {
    const { calls, make } = maker(() => undefined)
    const made = onFirstUse(make)

    expect([made(), made()]).toEqual([undefined, undefined])
    expect(calls()).toBe(1)
  })

  test('is tried again after a failure', () => {
    const made = onFirstUse(maker((number) => number, { failures: 2 }).make)

    expect(made).toThrow('failure 1')
    expect(made).toThrow('failure 2')
    expect([made(), made()]).toEqual([3, 3])
  })
})

describe('what is asked for once', () => {
  test('is asked for by the first, and shared by all who come before the answer and after it', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { calls, make } = maker(() => promise)
    const asked = onceAsked(make)
    expect(calls()).toBe(0)

    const early = [asked(), asked(), asked()]
    resolve('answer')
    expect(await Promise.all(early)).toEqual(['answer', 'answer', 'answer'])
    expect(await asked()).toBe('answer')
    expect(calls()).toBe(1)
  })

  test('fails for all who wait for it, and is asked for again by the next', async () => {
    const { calls, make } = maker(async (number) => {
      if (number === 1) throw new Error('lost')
      return number
    })
    const asked = onceAsked(make)

    const outcomes = await Promise.allSettled([asked(), asked()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(calls()).toBe(1)
    expect([await asked(), await asked()]).toEqual([2, 2])
  })
})

describe('methods that are made on first use', () => {
  const counter = (from: number) => ({
    from: async () => from,
    next: async (by: number) => from + by,
  })

  const NAMES = { from: true, next: true } as const

  test('are made with the first call of one of them, and only once', async () => {
    const { calls, make } = maker(counter)
    const methods = methodsOnFirstUse(NAMES, make)
    const parts = { methods }
    expect(parts.methods).toBe(methods)
    expect(calls()).toBe(0)

    expect(await methods.next(1)).toBe(2)
    const { next } = methods
    expect([await next(2), await methods.from()]).toEqual([3, 1])
    expect(calls()).toBe(1)
  })

  test('are those of an ordinary object, which can be taken apart before they are made', async () => {
    const { calls, make } = maker(counter)
    const methods = { ...methodsOnFirstUse(NAMES, make) }
    expect(Object.keys(methods)).toEqual(['from', 'next'])
    expect(calls()).toBe(0)

    expect([await methods.from(), await methods.next(1)]).toEqual([1, 2])
    expect(calls()).toBe(1)
  })

  test('reject while they cannot be made, and are tried again', async () => {
    const { calls, make } = maker(counter, { failures: 1 })
    const methods = methodsOnFirstUse(NAMES, make)

    await expect(methods.next(1)).rejects.toThrow('failure 1')
    expect(await methods.next(1)).toBe(3)
    expect(calls()).toBe(2)
  })
})
