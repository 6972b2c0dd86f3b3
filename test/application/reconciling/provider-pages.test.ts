import { expect, test } from 'bun:test'
import { eachPage } from '../../../application/reconciling/provider-pages.ts'

const page = (cursor: string | null) => ({ items: [cursor], unreadable: [], cursor })

test('a list is read to its last page, each from where the one before ended', async () => {
  const asked: (string | null)[] = []
  const cursors = ['one', 'two', null]
  const pages = eachPage(async (cursor) => {
    asked.push(cursor)
    return page(cursors[asked.length - 1] ?? null)
  })
  expect((await Array.fromAsync(pages)).flatMap(({ items }) => items)).toEqual(cursors)
  expect(asked).toEqual([null, 'one', 'two'])
})

test('a list that repeats a page does not go on for ever', async () => {
  const pages = eachPage(async () => page('one'))
  await expect(Array.fromAsync(pages)).rejects.toThrow('repeats a page')
})
