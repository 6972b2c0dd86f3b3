import { Problem } from './api.ts'

export type Action = () => Promise<void>

/** How long an answer may take before the page says that it waits, and that it still waits. */
const WAIT_MS = 500
const LONG_WAIT_MS = 5000

/** One action at a time. Every failure is a `Problem`, and goes to `fail` with the action that may be tried again. */
export function actionRunner({
  begin,
  wait,
  end,
  fail,
}: {
  begin: () => void
  wait: (key: 'loading' | 'still_loading') => void
  end: () => void
  fail: (problem: Problem, action: Action) => void
}) {
  let running: { readonly timers: readonly ReturnType<typeof setTimeout>[] } | null = null

  function stop(): void {
    for (const timer of running?.timers ?? []) clearTimeout(timer)
    running = null
    end()
  }

  async function attempt(action: Action): Promise<void> {
    if (running) return
    begin()
    const run = {
      timers: [
        setTimeout(() => wait('loading'), WAIT_MS),
        setTimeout(() => wait('still_loading'), LONG_WAIT_MS),
      ],
    }
    running = run
    const problem = await problemOf(action)
    if (running !== run) return
    stop()
    if (problem) fail(problem, action)
  }

  return {
    attempt,
    /** Ignores the outcome of the action under way. The caller has to abort its calls, too. */
    abandon() {
      if (running) stop()
    },
  }
}

async function problemOf(action: Action): Promise<Problem | null> {
  try {
    await action()
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    reportError(error)
    return new Problem('error_server')
  }
}
