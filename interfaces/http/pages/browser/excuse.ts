import { type Language, textDirection } from '../../../../domain/language.ts'
import { copyText, element } from './dom.ts'
import type { translator } from './translator.ts'

export type Excuse = { readonly reason: string; readonly language: Language }

/** The excuse and its buttons. */
export function excuseBox(
  texts: Pick<ReturnType<typeof translator>, 'say' | 'refresh' | 'word'>,
  { copied, cannotCopy }: { copied: () => void; cannotCopy: () => void },
) {
  const box = element('excuse', HTMLElement)
  const copy = element('copy', HTMLButtonElement)
  const share = element('share', HTMLButtonElement)
  const another = element('generate', HTMLButtonElement)
  const text = () => box.textContent ?? ''

  async function copyExcuse(): Promise<void> {
    if (await copyText(box)) copied()
    else cannotCopy()
  }

  async function shareText(): Promise<void> {
    try {
      await navigator.share({ text: text() })
    } catch (error) {
      const isChangeOfMind = error instanceof DOMException && error.name === 'AbortError'
      if (!isChangeOfMind) await copyExcuse()
    }
  }

  copy.addEventListener('click', copyExcuse)
  share.addEventListener('click', shareText)
  share.hidden = !('share' in navigator)
  texts.say(another, () => texts.word(text() === '' ? 'generate' : 'another'))

  return {
    isEmpty: () => text() === '',
    show({ reason, language }: Excuse) {
      box.lang = language
      box.dir = textDirection(language)
      box.textContent = reason
      texts.refresh(another)
      copy.disabled = share.disabled = false
    },
    clear() {
      box.textContent = ''
      texts.refresh(another)
      copy.disabled = share.disabled = true
    },
  }
}
