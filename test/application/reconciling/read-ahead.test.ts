import { expect, test } from 'bun:test'
import { readAhead } from '../../../application/reconciling/read-ahead.ts'

async function* count(to: number): AsyncGenerator<number> {
  for (let number = 0; number < to; number++) yield number
}

test('results come in the order of their items, with so many under way and no more', async () => {
  let underWay = 0
  let most = 0
  const results = readAhead(
    count(20),
    async (number) => {
      most = Math.max(most, ++underWay)
      // The later ones are ready first.
      await Bun.sleep((20 - number) % 3)
      underWay--
      return number * 2
    },
    4,
  )
  expect(await Array.fromAsync(results)).toEqual(Array.from({ length: 20 }, (_, n) => n * 2))
  expect(most).toBe(4)
})

test('no more is begun than is taken', async () => {
  let begun = 0
  const begin = async (number: number) => {
    begun++
    return number
  }
  for await (const number of readAhead(count(100), begin, 3)) {
    if (number === 5) break
  }
  expect(begun).toBe(8)
})

test('a failure comes in its turn, after those before it, and is nobody else’s', async () => {
  const seen: number[] = []
  const reading = readAhead(
    count(5),
    async (number) => {
      if (number >= 2) throw new Error(`no ${number}`)
      return number
    },
    3,
  )
  const taking = (async () => {
    for await (const number of reading) seen.push(number)
  })()
  await expect(taking).rejects.toThrow('no 2')
  await Bun.sleep(0)
  expect(seen).toEqual([0, 1])
})

test('of nothing nothing is read', async () => {
  expect(await Array.fromAsync(readAhead(count(0), async (number) => number, 3))).toEqual([])
})
