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
