import { type Language, textDirection } from '../../../../domain/language.ts'
import { element } from './dom.ts'
import { type Handed, offerCopy, offerShare } from './handing-on.ts'
import type { translator } from './translator.ts'

export type Excuse = { readonly reason: string; readonly language: Language }

export type PickedExcuse = Excuse & {
  /** Whether it does not match all that was chosen. */
  readonly isWidened: boolean
}

/** Shows an excuse in the direction of its language. */
export function showText(where: HTMLElement, { reason, language }: Excuse): void {
  where.lang = language
  where.dir = textDirection(language)
  where.textContent = reason
}

/** The excuse, and the buttons that need one. */
export function excuseBox(
  texts: Pick<ReturnType<typeof translator>, 'say' | 'refresh' | 'word'>,
  handed: Handed,
) {
  const box = element('excuse', HTMLElement)
  const widened = element('widened', HTMLElement)
  const another = element('generate', HTMLButtonElement)
  const copy = element('copy', HTMLButtonElement)
  const share = element('share', HTMLButtonElement)
  const needing = [
    copy,
    share,
    ...['favourite', 'dislike'].map((id) => element(id, HTMLButtonElement)),
  ]
  let shown: PickedExcuse | null = null

  function change(next: PickedExcuse | null): void {
    shown = next
    texts.refresh(another)
    for (const button of needing) button.disabled = next === null
  }

  offerCopy(copy, box, handed)
  offerShare(share, box, handed)
  texts.say(another, () => texts.word(shown ? 'another' : 'generate'))

  return {
    shown: () => shown,
    show(next: PickedExcuse) {
      showText(box, next)
      texts.say(widened, next.isWidened ? () => texts.word('choice_widened') : null)
      change(next)
    },
    clear() {
      box.textContent = ''
      texts.say(widened, null)
      change(null)
    },
  }
}
