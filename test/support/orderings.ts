/** Every order in which the items can come. */
export function orderingsOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) =>
    orderingsOf(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}
