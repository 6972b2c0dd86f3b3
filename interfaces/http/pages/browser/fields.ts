import { CODE_LENGTH } from '../../../../domain/otp.ts'
import { findCode, readCode } from './code-text.ts'
import { element } from './dom.ts'

export const emailField = element('email', HTMLInputElement)
export const codeField = element('code', HTMLInputElement)

/** Marks the field that was filled in wrongly, and puts the keyboard there; null marks none. */
export function markInvalid(field: HTMLInputElement | null): void {
  for (const one of [emailField, codeField]) one.removeAttribute('aria-invalid')
  field?.setAttribute('aria-invalid', 'true')
  field?.focus()
  // A code is typed again from its start, an address is corrected.
  if (field === codeField) field.select()
}

/**
 * Calls back when a whole code has come in at once, pasted or filled in. A person who types digit by digit may still
 * find a slip, and goes on by the button.
 */
export function onCodeFilledIn(submit: () => void): void {
  codeField.addEventListener('paste', (event) => {
    const code = findCode(event.clipboardData?.getData('text') ?? '')
    if (code === null) return
    event.preventDefault()
    codeField.value = code
    submit()
  })
  codeField.addEventListener('input', (event) => {
    if (!isTyped(event) && readCode(codeField.value) !== null) submit()
  })
}

/** Keyboards say what they have changed; other means of filling in a form say nothing, or a whole code at once. */
function isTyped(event: Event): boolean {
  if (!(event instanceof InputEvent)) return false
  return event.inputType !== 'insertText' || (event.data ?? '').length < CODE_LENGTH
}
