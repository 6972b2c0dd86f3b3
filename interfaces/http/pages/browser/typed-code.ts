import { CODE_LENGTH } from '../../../../domain/otp.ts'
import { findCode, readCode } from './code-field.ts'

/**
 * Calls back when a whole code has come in at once, pasted or filled in. Whoever types digit by digit may still find a
 * slip, and goes on by the button.
 */
export function onCodeFilledIn(field: HTMLInputElement, submit: () => void): void {
  field.addEventListener('paste', (event) => {
    const code = findCode(event.clipboardData?.getData('text') ?? '')
    if (code === null) return
    event.preventDefault()
    field.value = code
    submit()
  })
  field.addEventListener('input', (event) => {
    if (!isTyped(event) && readCode(field.value) !== null) submit()
  })
}

/** Keyboards say what they have changed; whatever fills in a form says nothing, or a whole code at once. */
function isTyped(event: Event): boolean {
  if (!(event instanceof InputEvent)) return false
  return event.inputType !== 'insertText' || (event.data ?? '').length < CODE_LENGTH
}
