import { isolate } from '../wait-words.ts'
import { countdown, secondsUntil } from './countdown.ts'
import { element } from './dom.ts'
import { codeField } from './fields.ts'
import { sessionStore } from './storage.ts'
import type { translator } from './translator.ts'

/** A mail takes a while, and the service counts them. */
const WAIT_MS = 30_000

/** The button for another mail, and in its place the time until there may be one. */
export function resendButton(
  texts: Pick<ReturnType<typeof translator>, 'say' | 'refresh' | 'word' | 'wait'>,
) {
  const button = element('resend', HTMLButtonElement)
  const waiting = element('resend-wait', HTMLElement)
  const clock = countdown({
    tick: () => texts.refresh(waiting),
    done: () => showWaiting(false),
  })

  function showWaiting(isWaiting: boolean): void {
    if (isWaiting && document.activeElement === button) codeField.focus()
    button.hidden = isWaiting
    waiting.hidden = !isWaiting
  }

  /** In milliseconds since 1970. */
  function waitUntil(until: number): void {
    sessionStore.write('resend-at', String(until))
    const seconds = secondsUntil(until)
    texts.say(waiting, () =>
      texts.word('resend_wait', { duration: isolate(texts.wait(seconds())) }),
    )
    showWaiting(true)
    clock.start(until)
  }

  return {
    waitUntil,
    startCountdown: () => waitUntil(Date.now() + WAIT_MS),
    /** Goes on with the wait that began before the page was reloaded. */
    resume() {
      const until = Number(sessionStore.read('resend-at'))
      if (until > Date.now()) waitUntil(until)
    },
  }
}
