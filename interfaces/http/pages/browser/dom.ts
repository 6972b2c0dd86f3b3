/** The element of the page that has this id and is of this kind. Throws when the page and its script do not match. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`)
  return found
}

/** Data that the page brings along in a `<script type="application/json">`. */
export function readData<Data>(id: string): Data {
  return JSON.parse(element(id, HTMLScriptElement).textContent ?? '')
}

export function onClick(button: HTMLElement, action: () => void): void {
  button.addEventListener('click', action)
}

/** Puts an element's text into the clipboard. Without access to it, selects the text and resolves to false. */
export async function copyText(source: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '')
    return true
  } catch {
    // Not allowed, or missing outside of https: the reader has to press the copy key.
    getSelection()?.selectAllChildren(source)
    return false
  }
}
