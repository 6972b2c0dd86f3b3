import { Problem } from './api.ts'

/** How long an answer may take before the page says that it waits, and that it still waits. */
const WAIT_MS = 500
const LONG_WAIT_MS = 5000

/** One thing at a time; whatever goes wrong is a `Problem`, and told to `fail` with the action that may be tried again. */
export function attempts({
  begin,
  wait,
  end,
  fail,
}: {
  begin: () => void
  wait: (key: 'loading' | 'still_loading') => void
  end: () => void
  fail: (problem: Problem, action: () => Promise<void>) => void
}) {
  let isBusy = false

  return async function attempt(action: () => Promise<void>): Promise<void> {
    if (isBusy) return
    isBusy = true
    begin()
    const waiting = setTimeout(() => wait('loading'), WAIT_MS)
    const stillWaiting = setTimeout(() => wait('still_loading'), LONG_WAIT_MS)
    let problem: Problem | null = null
    try {
      await action()
    } catch (error) {
      problem = error instanceof Problem ? error : new Problem('error_server')
      if (!(error instanceof Problem)) reportError(error)
    }
    clearTimeout(waiting)
    clearTimeout(stillWaiting)
    isBusy = false
    end()
    if (problem) fail(problem, action)
  }
}
