import { Unavailable } from '../../application/unavailable.ts'

/** Remembers how the last write ended. */
export type WriteWatch = {
  /** Gives what was written, or rejects with its error. */
  watch<Result>(written: Promise<Result>): Promise<Result>
  /** Whether the last write to end was failed by the database. */
  lastWriteFailed(): boolean
}

export function writeWatch(): WriteWatch {
  let hasFailed = false
  return {
    async watch(written) {
      try {
        const result = await written
        hasFailed = false
        return result
      } catch (error) {
        hasFailed = error instanceof Unavailable
        throw error
      }
    },
    lastWriteFailed: () => hasFailed,
  }
}
