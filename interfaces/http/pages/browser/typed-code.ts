import { CODE_LENGTH, parseOtpCode } from '../../../../domain/otp.ts'

// Six digits of any script with nothing but spaces and dashes between them, and no other digit at their ends.
const CODE_IN_TEXT = new RegExp(
  `(?<!\\p{Nd})(?:\\p{Nd}[\\s\\p{Dash}]*){${CODE_LENGTH - 1}}\\p{Nd}(?!\\p{Nd})`,
  'u',
)

/** The code that a person has typed, or null as long as it is none: a try costs one of a few. */
export function readCode(typed: string): string | null {
  try {
    return parseOtpCode(typed)
  } catch {
    return null
  }
}

/**
 * Calls back when a whole code has come in at once, pasted or filled in. Whoever types digit by digit may still find a
 * slip, and goes on by the button.
 */
export function onCodeFilledIn(field: HTMLInputElement, submit: () => void): void {
  field.addEventListener('paste', (event) => {
    const [code] = CODE_IN_TEXT.exec(event.clipboardData?.getData('text') ?? '') ?? []
    if (code === undefined) return
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
