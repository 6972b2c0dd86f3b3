/**
 * Whether this frame has the focus itself, and no frame in it. It runs in a page, on its own, as `insertText` does.
 */
export function hasFocus(): boolean {
  let focused = document.activeElement
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  return document.hasFocus() && !focused?.matches('iframe, frame, object, embed')
}

/**
 * Types a text where the caret is, as the person would: the page hears of it, and undo takes it back. False where no
 * field has the focus that takes a text. It runs in a page, on its own: nothing from outside its body is there.
 */
export function insertText(text: string): boolean {
  let focused = document.activeElement
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  const isTextInput =
    focused instanceof HTMLInputElement && ['text', 'search'].includes(focused.type)
  const isField = isTextInput || focused instanceof HTMLTextAreaElement
  if (isField) {
    const field = focused as HTMLInputElement | HTMLTextAreaElement
    if (field.disabled || field.readOnly) return false
    // Deprecated, and still the one way that fills the field's undo list (html.spec.whatwg.org has none).
    if (document.execCommand('insertText', false, text)) return true
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
    field.dispatchEvent(
      new InputEvent('input', {
        bubbles: true,
        composed: true,
        inputType: 'insertText',
        data: text,
      }),
    )
    return true
  }
  const isEditable = focused instanceof HTMLElement && focused.isContentEditable
  const isDesigned = document.designMode === 'on'
  return (isEditable || isDesigned) && document.execCommand('insertText', false, text)
}
