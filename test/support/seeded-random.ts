/** Chance that is the same in every run: mulberry32, whole numbers from 0 to `bound` - 1. */
export function seededRandom(seed: number) {
  let state = seed
  function below(bound: number): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
  return {
    below,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    shuffle<Item>(items: readonly Item[]): Item[] {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1)
        ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
      }
      return shuffled
    },
  }
}
