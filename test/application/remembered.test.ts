import { expect, test } from 'bun:test'
import { remembered } from '../../application/remembered.ts'

test('what is remembered is made once, also for callers at the same time', async () => {
  let calls = 0
  const read = remembered(async () => ++calls)
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  expect(await read()).toBe(1)
})

test('what has failed is made again for the next caller', async () => {
  let calls = 0
  const read = remembered(async () => {
    if (++calls === 1) throw new Error('not yet')
    return calls
  })
  await expect(Promise.all([read(), read()])).rejects.toThrow('not yet')
  expect(await read()).toBe(2)
  expect(await read()).toBe(2)
})
