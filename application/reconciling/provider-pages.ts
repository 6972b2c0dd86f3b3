import type { ListPage } from '../ports.ts'

/** Every page of a list of the provider's. Throws where the list would never end. */
export async function* eachPage<Item>(
  find: (cursor: string | null) => Promise<ListPage<Item>>,
): AsyncGenerator<ListPage<Item>> {
  let cursor: string | null = null
  do {
    const page: ListPage<Item> = await find(cursor)
    yield page
    if (page.cursor !== null && page.cursor === cursor) {
      throw new Error('a list that repeats a page')
    }
    cursor = page.cursor
  } while (cursor !== null)
}
