import { expect, test } from 'bun:test'
import { readAll } from '../../../application/payments/list-purchases.ts'

/** A list of so many numbers from 1 on, and where each of its pages began. */
function listOf(length: number) {
  const begins: (number | null)[] = []
  const readPage = async ({ after, limit }: { after: number | null; limit: number }) => {
    begins.push(after)
    const from = after ?? 0
    return Array.from({ length: Math.min(limit, length - from) }, (_, index) => from + index + 1)
  }
  return { begins, readPage }
}

test.each([
  [0, [null]],
  [1, [null]],
  [199, [null]],
  [200, [null, 200]],
  [401, [null, 200, 400]],
])('all of %d items come once and in order', async (length, expected) => {
  const { begins, readPage } = listOf(length)
  const items = await Array.fromAsync(readAll(readPage))
  expect(items).toEqual(Array.from({ length }, (_, index) => index + 1))
  expect(begins).toEqual(expected)
})

test('a reader that stops early reads no further page', async () => {
  const { begins, readPage } = listOf(1000)
  for await (const item of readAll(readPage)) {
    if (item === 201) break
  }
  expect(begins).toEqual([null, 200])
})
