// Why: docs/decisions.md#what-is-in-memory-is-not-waited-for
/**
 * A value, or a promise of it where it takes time. A function that gives one can fail in both ways, by throwing and by
 * rejecting: `await` and `orElse` see no difference.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** What `next` makes of the value: at once where the value is there. */
export function whenKnown<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** What `work` gives, or what `handle` makes of its error, thrown or rejected with. */
export function orElse<Value>(
  work: () => MaybePromise<Value>,
  handle: (error: unknown) => Value,
): MaybePromise<Value> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(handle) : value
  } catch (error) {
    return handle(error)
  }
}
