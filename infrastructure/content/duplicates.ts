/** Each text that stands in the list before, to the letter, with its first place there. */
export function findDuplicates(texts: readonly string[]): { first: number; second: number }[] {
  const places = new Map<string, number>()
  return texts.flatMap((text, second) => {
    const first = places.get(text)
    if (first === undefined) places.set(text, second)
    return first === undefined ? [] : [{ first, second }]
  })
}
