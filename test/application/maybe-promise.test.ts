import { describe, expect, test } from 'bun:test'
import { orElse, whenKnown } from '../../application/maybe-promise.ts'

const ERROR = new Error('lost')
const fail = () => {
  throw ERROR
}

describe('what is made of a value', () => {
  test('is there at once where the value is', () => {
    expect(whenKnown(1, (value) => value + 1)).toBe(2)
    expect(whenKnown(null, (value) => value)).toBeNull()
  })

  test('comes once the value is there, also where either takes time', async () => {
    const made = whenKnown(Promise.resolve(1), (value) => value + 1)
    expect(made).toBeInstanceOf(Promise)
    expect(await made).toBe(2)
    expect(await whenKnown(1, async (value) => value + 1)).toBe(2)
    expect(await whenKnown(Promise.resolve(1), async (value) => value + 1)).toBe(2)
  })

  test('is nothing where the value does not come', async () => {
    const never = () => expect.unreachable()
    await expect(whenKnown(Promise.reject(ERROR), never)).rejects.toBe(ERROR)
  })
})

describe('an error', () => {
  const handle = (error: unknown) => {
    expect(error).toBe(ERROR)
    return 'handled'
  }

  test('is handled, thrown or rejected with', async () => {
    expect(orElse(fail, handle)).toBe('handled')
    expect(await orElse(() => Promise.reject(ERROR), handle)).toBe('handled')
    expect(await orElse(() => whenKnown(Promise.resolve(1), fail), handle)).toBe('handled')
  })

  test('goes on where it is thrown again', async () => {
    expect(() => orElse(fail, fail)).toThrow(ERROR)
    await expect(orElse(() => Promise.reject(ERROR), fail)).rejects.toBe(ERROR)
  })

  test('that never comes changes nothing', async () => {
    expect(orElse<number>(() => 1, fail)).toBe(1)
    expect(await orElse<number>(async () => 1, fail)).toBe(1)
  })
})
