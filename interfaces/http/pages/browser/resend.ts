import { countdown, secondsUntil } from './countdown.ts'
import { element } from './elements.ts'
import { isolate, type speaker } from './words.ts'

/** A mail takes a while, and the service counts them. */
const WAIT_MS = 30_000

/** The button for another mail, and in its place the time until there may be one. */
export function resendButton(
  speech: Pick<ReturnType<typeof speaker>, 'say' | 'refresh' | 'word' | 'wait'>,
) {
  const button = element('resend', HTMLButtonElement)
  const waiting = element('resend-wait', HTMLElement)
  let until = 0
  const clock = countdown({
    tick: () => speech.refresh(waiting),
    done: () => showWaiting(false),
  })

  function showWaiting(isWaiting: boolean): void {
    button.hidden = isWaiting
    waiting.hidden = !isWaiting
  }

  /** In milliseconds since 1970. */
  function waitUntil(moment: number): void {
    until = moment
    speech.say(waiting, () =>
      speech.word('resend_wait', {
        duration: isolate(speech.wait(secondsUntil(until))),
      }),
    )
    showWaiting(true)
    clock.start(until)
  }

  return { waitUntil, startCountdown: () => waitUntil(Date.now() + WAIT_MS) }
}
