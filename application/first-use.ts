// Why: docs/decisions.md#a-start-makes-what-its-first-answer-needs
// Pieces that are made when they are first needed, and once. A failure is not remembered: the next use tries again.

/** Calls `make` on the first use, and gives the same from then on. */
export function onFirstUse<Made>(make: () => Made): () => Made {
  let known: { readonly made: Made } | null = null
  return () => {
    known ??= { made: make() }
    return known.made
  }
}

/** As `onFirstUse` for what takes time: all who ask before it is there wait for the same. */
export function onceAsked<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null
  return () => {
    answer ??= ask().catch((error) => {
      answer = null
      throw error
    })
    return answer
  }
}

export type Methods = Readonly<Record<string, (...input: never[]) => unknown>>

/** Names every method. */
export type MethodNames<Made> = Readonly<Record<keyof Made, true>>

/**
 * The methods that `make` gives, which is called with the first call of one of them. Where it throws, that call rejects
 * with it.
 */
export function methodsOnFirstUse<Made extends Methods>(
  names: MethodNames<Made>,
  make: () => Made,
): Made {
  const made = onFirstUse(() => {
    const all = make()
    // From now on they are called without a detour.
    Object.assign(methods, all)
    return all
  })
  const call =
    (name: string): Methods[string] =>
    (...input) => {
      try {
        return Reflect.apply(Reflect.get(made(), name), undefined, input)
      } catch (error) {
        return Promise.reject(error)
      }
    }
  const methods = Object.fromEntries(Object.keys(names).map((name) => [name, call(name)])) as Made
  return methods
}
