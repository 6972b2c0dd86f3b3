import type { Language } from '../../../../domain/language.ts'
import type { Action } from './action-runner.ts'
import { choiceRows } from './choice.ts'
import { element, onClick } from './dom.ts'
import type { Endpoints } from './endpoints.ts'
import { excuseBox, type PickedExcuse } from './excuse.ts'
import { keptExcuses } from './kept-excuses.ts'
import type { openSession } from './session.ts'
import { focusStep, onSubmit } from './steps.ts'
import type { translator } from './translator.ts'

type Parts = {
  readonly texts: ReturnType<typeof translator>
  readonly session: Pick<ReturnType<typeof openSession>, 'token'>
  readonly endpoints: Endpoints
  readonly attempt: (action: Action) => void
  /** Sets the lasting status. */
  readonly settle: (saying: (() => string) | null) => void
}

/** How often it is asked for one that the reader has not said to be not for them: with the choice, then without. */
const TRIES = 4

/** What the step does on which excuses are read. */
export function excuseStep({ texts, session, endpoints, attempt, settle }: Parts) {
  const handed = {
    copied: () => settleAgain(() => texts.word('copied')),
    cannotCopy: () => settleAgain(() => texts.word('copy_failed')),
  }
  const choice = choiceRows()
  const box = excuseBox(texts, handed)
  const kept = keptExcuses(texts, handed)
  const undo = element('undo', HTMLButtonElement)
  let disliked: PickedExcuse | null = null

  /** One in the language of the page, which may change meanwhile. */
  async function fetchExcuse(): Promise<void> {
    let language: Language
    let next: PickedExcuse
    do {
      language = texts.language()
      next = await pick(language, endpoints)
    } while (language !== texts.language())
    show(next)
  }

  async function pick(language: Language, from: Endpoints): Promise<PickedExcuse> {
    const token = session.token()
    const chosen = choice.query()
    for (let tries = 0; tries < TRIES; tries += 1) {
      const picked = await from.pickReason(language, chosen, token)
      if (!kept.isDisliked(picked)) return picked
    }
    for (let tries = 1; ; tries += 1) {
      const picked = await from.pickReason(language, '', token)
      if (!kept.isDisliked(picked) || tries === TRIES) {
        return { ...picked, isWidened: chosen !== '' }
      }
    }
  }

  function show(next: PickedExcuse): void {
    box.show(next)
    kept.add(next)
    offerUndo(null)
    settle(null)
  }

  async function replaceDisliked(): Promise<void> {
    // Where the last try has failed, the box is empty.
    const unwanted = box.shown() ?? disliked
    if (unwanted) kept.dislike(unwanted)
    box.clear()
    // The button that was pressed needs an excuse, and lets go of the keyboard.
    focusStep()
    offerUndo(unwanted)
    await fetchExcuse()
    offerUndo(unwanted)
    settle(() => texts.word('disliked'))
  }

  function offerUndo(excuse: PickedExcuse | null): void {
    disliked = excuse
    undo.hidden = excuse === null
  }

  /** Announces it even where the same text was announced before. */
  function settleAgain(saying: () => string): void {
    settle(null)
    requestAnimationFrame(() => settle(saying))
  }

  onSubmit('excuse', () => attempt(fetchExcuse))
  onClick(element('dislike', HTMLElement), () => attempt(replaceDisliked))
  onClick(undo, () => {
    if (!disliked) return
    kept.undoDislike(disliked)
    show(disliked)
    focusStep()
  })

  return {
    isEmpty: () => box.shown() === null,
    pick,
    show,
    clear() {
      box.clear()
      offerUndo(null)
    },
    /** The device may be a borrowed one. */
    forget() {
      box.clear()
      offerUndo(null)
      kept.forget()
      choice.forget()
    },
  }
}
