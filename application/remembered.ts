/** Calls `make` once for all callers, those who ask meanwhile included, and again only after it has failed. */
export function remembered<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null
  return () => {
    made ??= make().catch((error) => {
      made = null
      throw error
    })
    return made
  }
}
