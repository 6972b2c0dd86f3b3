import { element } from './dom.ts'

export const emailField = element('email', HTMLInputElement)
export const codeField = element('code', HTMLInputElement)

/** Marks the field that was filled in wrongly, and puts the keyboard there; null marks none. */
export function markInvalid(field: HTMLInputElement | null): void {
  for (const one of [emailField, codeField]) one.removeAttribute('aria-invalid')
  field?.setAttribute('aria-invalid', 'true')
  field?.focus()
  // A code is typed anew, an address is mended.
  if (field === codeField) field.select()
}
