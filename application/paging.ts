/** Small enough that a page takes little memory, and that no reader delays a write for long. */
const PAGE_SIZE = 200

/** All items of a list. Each page is read once the one before it is used up, from the item after its last one. */
export async function* readAll<Item>(
  readPage: (page: { after: Item | null; limit: number }) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  let after: Item | null = null
  for (;;) {
    const page: readonly Item[] = await readPage({ after, limit: PAGE_SIZE })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_SIZE) return
    after = last
  }
}
