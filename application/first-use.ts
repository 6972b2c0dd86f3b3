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

export type Methods = Readonly<Record<string, (...input: never[]) => Promise<unknown>>>

/**
 * The methods that `make` gives. It is called when any of them is first asked for; where it throws, that method rejects
 * with it. From then on a call costs what it costs on any other object.
 */
export function methodsOnFirstUse<Made extends Methods>(make: () => Made): Made {
  const fill: ProxyHandler<object> = {
    get(_, name) {
      try {
        Object.setPrototypeOf(Object.assign(methods, make()), Object.prototype)
      } catch (error) {
        return () => Promise.reject(error)
      }
      return Reflect.get(methods, name)
    },
  }
  // Only what the object does not have itself is looked for behind it.
  const methods = Object.create(new Proxy({}, fill))
  return methods
}
