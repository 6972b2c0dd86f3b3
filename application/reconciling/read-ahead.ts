/**
 * What `read` makes of every item, in the order of the items, while it is already under way with the next ones: at most
 * `atOnceMax` at once. Where one fails, those before it come first.
 */
export async function* readAhead<Item, Result>(
  items: AsyncIterable<Item>,
  read: (item: Item) => Promise<Result>,
  atOnceMax: number,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  for await (const item of items) {
    const result = read(item)
    // It is looked at when its turn comes; until then it is no fault that nobody has caught.
    result.catch(() => {})
    underWay.push(result)
    const [first] = underWay
    if (first === undefined || underWay.length < atOnceMax) continue
    yield await first
    underWay.shift()
  }
  yield* underWay
}
