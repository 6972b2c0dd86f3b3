import type { Problem } from './api.ts'
import { countdown, secondsUntil } from './countdown.ts'
import { element } from './elements.ts'
import { isolate, type speaker } from './words.ts'

type Action = () => Promise<void>

/** Where the page says what went wrong, when to come back, and offers to try again. */
export function problemBox(
  speech: Pick<ReturnType<typeof speaker>, 'say' | 'refresh' | 'word' | 'wait' | 'counted'>,
  { retry }: { retry: (action: Action) => void },
) {
  const alert = element('problem-alert', HTMLElement)
  const text = element('problem-text', HTMLElement)
  const more = element('problem-more', HTMLElement)
  const button = element('retry', HTMLButtonElement)
  let shown: { problem: Problem; action: Action | null } | null = null

  const clock = countdown({
    tick() {
      // Whoever listens has heard it once, and is not told every second.
      alert.setAttribute('aria-live', 'off')
      speech.refresh(text)
      speech.refresh(more)
    },
    done: clear,
  })

  function clear(): void {
    shown = null
    clock.stop()
    speech.say(text, null)
    speech.say(more, null)
    button.hidden = true
  }

  function show(problem: Problem, action: Action | null = null): void {
    clear()
    shown = { problem, action }
    const { mayRetry = false, retryAt, triesLeft } = problem.details
    const isSpent = retryAt !== undefined || triesLeft === 0
    alert.removeAttribute('aria-live')
    speech.say(text, () => sayProblem(problem))
    speech.say(more, () => sayMore(problem))
    if (retryAt !== undefined) clock.start(retryAt)
    button.hidden = isSpent || !mayRetry || action === null
  }

  function sayProblem({ word, details: { retryAt, triesLeft } }: Problem): string {
    if (triesLeft === 0 && retryAt === undefined) return speech.word('error_code_used_up')
    return speech.word(word, retryAt === undefined ? {} : waitFor(retryAt))
  }

  function sayMore({ word, details: { retryAt, triesLeft, requestId } }: Problem): string {
    if (retryAt !== undefined && word !== 'error_too_many_requests') {
      return speech.word('error_too_many_requests', waitFor(retryAt))
    }
    if (triesLeft) return speech.counted('tries_left', triesLeft)
    return requestId ? speech.word('error_reference', { id: isolate(requestId) }) : ''
  }

  function waitFor(moment: number): { duration: string } {
    return { duration: isolate(speech.wait(secondsUntil(moment))) }
  }

  button.addEventListener('click', () => {
    if (shown?.action) retry(shown.action)
  })
  window.addEventListener('online', () => {
    if (shown?.problem.word === 'error_network') clear()
  })
  return { show, clear }
}
