/**
 * Shows each step of the work on a line that the next one replaces, and removes the last one at the end, also after an
 * error.
 */
export function withProgress<Result>(
  progress: (line: string | null) => void,
  work: (onStep: (step: string) => void) => Result,
): Result {
  try {
    return work((step) => progress(`${step} …`))
  } finally {
    progress(null)
  }
}
