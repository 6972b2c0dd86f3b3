/** Values that the browser stores under our keys. Where it refuses to, the page keeps them until it is left. */
type Store = {
  read(key: string): string | null
  /** Null removes. */
  write(key: string, value: string | null): void
}

/** Kept until it is removed. */
export const localStore = storeIn(() => localStorage)

/** Kept as long as the tab is open. */
export const sessionStore = storeIn(() => sessionStorage)

function storeIn(storage: () => Storage): Store {
  const refused = new Map<string, string | null>()
  return {
    read(key) {
      const remembered = refused.get(key)
      if (remembered !== undefined) return remembered
      try {
        return storage().getItem(`alibi.${key}`)
      } catch {
        return null
      }
    },
    write(key, value) {
      try {
        if (value === null) storage().removeItem(`alibi.${key}`)
        else storage().setItem(`alibi.${key}`, value)
        refused.delete(key)
      } catch {
        refused.set(key, value)
      }
    },
  }
}

/** A value that was kept as JSON; null for anything that does not pass for one. */
export function readJson<Value>(
  store: Store,
  key: string,
  passes: (value: unknown) => value is Value,
): Value | null {
  try {
    const value: unknown = JSON.parse(store.read(key) ?? 'null')
    return passes(value) ? value : null
  } catch {
    return null
  }
}

export function hasFields<Name extends string>(
  value: unknown,
  types: Readonly<Record<Name, 'string' | 'number'>>,
): value is Record<Name, string | number> {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(types).every(([name, type]) => typeof Reflect.get(value, name) === type)
}
