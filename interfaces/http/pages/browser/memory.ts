/** What the browser keeps under our keys. It may refuse to: then the page works until it is left. */
export type Memory = {
  read(key: string): string | null
  /** Null forgets. */
  write(key: string, value: string | null): void
}

/** Kept until it is forgotten. */
export const lasting = memoryIn(() => localStorage)

/** Kept as long as the tab is open. */
export const visit = memoryIn(() => sessionStorage)

function memoryIn(storage: () => Storage): Memory {
  return {
    read(key) {
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
      } catch {}
    },
  }
}
