/** Puts an element's text into the clipboard. Where that is not to be had, it is selected, and the answer is false. */
export async function copyText(source: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '')
    return true
  } catch {
    // Not allowed, or not there outside of https: the reader needs one key more.
    getSelection()?.selectAllChildren(source)
    return false
  }
}
