import { copyText } from './dom.ts'

export type Handed = { readonly copied: () => void; readonly cannotCopy: () => void }

/** Makes a button put the text of an element into the clipboard. */
export function offerCopy(button: HTMLElement, source: Element, handed: Handed): void {
  button.addEventListener('click', () => copy(source, handed))
}

/** Makes a button open the share sheet of the device; hidden where there is none. */
export function offerShare(button: HTMLElement, source: Element, handed: Handed): void {
  button.hidden = !('share' in navigator)
  button.addEventListener('click', async () => {
    try {
      await navigator.share({ text: source.textContent ?? '' })
    } catch (error) {
      const isChangeOfMind = error instanceof DOMException && error.name === 'AbortError'
      if (!isChangeOfMind) await copy(source, handed)
    }
  })
}

async function copy(source: Element, { copied, cannotCopy }: Handed): Promise<void> {
  if (await copyText(source)) copied()
  else cannotCopy()
}
