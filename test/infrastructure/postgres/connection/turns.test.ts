import { describe, expect, test } from 'bun:test'
import type { Lock } from '../../../../infrastructure/postgres/connection/locks.ts'
import { turns } from '../../../../infrastructure/postgres/connection/turns.ts'
import { turn } from '../../../support/stopped-timers.ts'

const [ONE, TWO, THREE] = [1, 2, 3] as unknown as [Lock, Lock, Lock]
const TIME = { leftMs: () => 60_000, end() {} }
const NO_TIME = { leftMs: () => 0, end() {} }

/** Works that begin in turn, and end when the test says so. */
function watched() {
  const { take } = turns()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    call: (name: string, locks: readonly Lock[], time = TIME) =>
      take(locks, time, () => {
        begun.push(name)
        const { promise, resolve } = Promise.withResolvers<string>()
        ends.set(name, () => resolve(name))
        return promise
      }),
    async end(name: string) {
      ends.get(name)?.()
      // A few rounds of promises.
      await turn()
    },
  }
}

describe('a turn', () => {
  test('begins at once where nobody has the lock, and in the order of the calls where somebody has', async () => {
    const { begun, call, end } = watched()
    const all = [
      call('first', [ONE]),
      call('second', [ONE]),
      call('other', [TWO]),
      call('third', [ONE]),
    ]
    await end('none')
    expect(begun).toEqual(['first', 'other'])
    await end('first')
    expect(begun).toEqual(['first', 'other', 'second'])
    await end('second')
    await end('third')
    await end('other')
    expect(await Promise.all(all)).toEqual(['first', 'second', 'other', 'third'])
  })

  test('at several locks is taken in their order, so that no two wait for each other', async () => {
    const { begun, call, end } = watched()
    const all = [call('up', [ONE, TWO]), call('down', [TWO, ONE]), call('one', [ONE, ONE])]
    await end('none')
    expect(begun).toEqual(['up'])
    await end('up')
    expect(begun).toEqual(['up', 'down'])
    await end('down')
    await end('one')
    expect(await Promise.all(all)).toEqual(['up', 'down', 'one'])
  })

  test('that waits for one lock does not keep others from a later one', async () => {
    const { begun, call, end } = watched()
    const all = [call('hot', [ONE]), call('waiting', [ONE, THREE]), call('free', [TWO, THREE])]
    await end('none')
    expect(begun).toEqual(['hot', 'free'])
    for (const name of ['hot', 'free', 'waiting']) await end(name)
    expect(await Promise.all(all)).toEqual(['hot', 'waiting', 'free'])
  })

  test('is over when the work fails', async () => {
    const { take } = turns()
    const failing = take([ONE], TIME, () => Promise.reject(new Error('broken')))
    await expect(failing).rejects.toThrow('broken')
    expect(await take([ONE], NO_TIME, async () => 'done')).toBe('done')
  })

  test('that is waited for too long is given up, and the next one still waits for those before', async () => {
    const { begun, call, end } = watched()
    const first = call('first', [ONE])
    await expect(call('late', [ONE], NO_TIME)).rejects.toMatchObject({ outage: 'storage' })
    const next = call('next', [ONE])
    await end('none')
    expect(begun).toEqual(['first'])
    await end('first')
    expect(begun).toEqual(['first', 'next'])
    await end('next')
    expect(await Promise.all([first, next])).toEqual(['first', 'next'])
  })
})
