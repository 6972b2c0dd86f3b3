import { isolate } from '../wait-words.ts'
import type { Action } from './action-runner.ts'
import type { Problem } from './api.ts'
import { countdown, secondsUntil } from './countdown.ts'
import { element } from './dom.ts'
import { focusStep } from './steps.ts'
import type { translator } from './translator.ts'

type Shown = {
  readonly problem: Problem
  readonly action: Action | null
  /** Whether the action is tried again by itself once that may work. */
  readonly resumes: boolean
}

/** The time that is left, as words take it. */
type Wait = () => { readonly duration: string }

/** The box in which the page says what went wrong and when to come back, and offers to try again. */
export function problemBox(
  texts: Pick<ReturnType<typeof translator>, 'say' | 'refresh' | 'word' | 'wait' | 'counted'>,
  { retry }: { retry: (action: Action) => void },
) {
  const alert = element('problem-alert', HTMLElement)
  const text = element('problem-text', HTMLElement)
  const more = element('problem-more', HTMLElement)
  const button = element('retry', HTMLButtonElement)
  let shown: Shown | null = null

  const clock = countdown({
    tick() {
      // A screen reader has said it once, and does not say it every second.
      alert.setAttribute('aria-live', 'off')
      texts.refresh(text)
      texts.refresh(more)
    },
    done: goOn,
  })

  function goOn(): void {
    const { action = null, resumes = false } = shown ?? {}
    clear()
    if (resumes && action) retry(action)
  }

  function clear(): void {
    shown = null
    clock.stop()
    texts.say(text, null)
    texts.say(more, null)
    if (document.activeElement === button) focusStep()
    button.hidden = true
  }

  function show(problem: Problem, { action = null, resumes = false }: Partial<Shown> = {}): void {
    clear()
    shown = { problem, action, resumes }
    const { mayRetry = false, retryAt, triesLeft } = problem.details
    const isSpent = retryAt !== undefined || triesLeft === 0
    alert.removeAttribute('aria-live')
    const seconds = secondsUntil(retryAt ?? 0)
    const wait = () => ({ duration: isolate(texts.wait(seconds())) })
    texts.say(text, () => sayProblem(problem, wait))
    texts.say(more, () => sayMore(problem, wait))
    if (retryAt !== undefined) clock.start(retryAt)
    button.hidden = isSpent || !mayRetry || action === null
  }

  function sayProblem({ word, details: { retryAt, triesLeft } }: Problem, wait: Wait): string {
    if (triesLeft === 0 && retryAt === undefined) return texts.word('error_code_used_up')
    return texts.word(word, retryAt === undefined ? {} : wait())
  }

  function sayMore({ word, details }: Problem, wait: Wait): string {
    const { retryAt, triesLeft, requestId } = details
    if (retryAt !== undefined && word !== 'error_too_many_requests') {
      return texts.word('error_too_many_requests', wait())
    }
    if (triesLeft) return texts.counted('tries_left', triesLeft)
    return requestId ? texts.word('error_reference', { id: isolate(requestId) }) : ''
  }

  button.addEventListener('click', () => {
    if (shown?.action) retry(shown.action)
  })
  window.addEventListener('online', () => {
    if (shown?.problem.word === 'error_network') goOn()
  })
  return { show, clear }
}
