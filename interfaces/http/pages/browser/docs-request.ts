import {
  curlCommand,
  type FilledField,
  type RequestExample,
  requestExample,
} from '../docs/request-example.ts'

export function allForms(): NodeListOf<HTMLFormElement> {
  return document.querySelectorAll<HTMLFormElement>('form[data-path]')
}

/** Puts a value into every field of this name. */
export function fill(name: string, value: string): void {
  for (const form of allForms()) {
    const field = fieldsOf(form).find((one) => one.name === name)
    if (!field) continue
    // Where the reader is typing, the cursor stays where it is.
    if (field.value !== value) field.value = value
    showCommand(form)
  }
}

/** Shows the request as a line for the shell. */
export function showCommand(form: HTMLFormElement): void {
  const command = form.closest('section')?.querySelector('.command code')
  if (command) command.textContent = curlCommand(readRequest(form), location.origin)
}

export function readRequest(form: HTMLFormElement): RequestExample {
  const { method = '', path = '', mediaType = null } = form.dataset
  const fields = fieldsOf(form).map(({ name, value, required, dataset }) => ({
    name,
    value,
    required,
    place: dataset['place'] as FilledField['place'],
  }))
  return requestExample({ method, path, mediaType }, fields)
}

function fieldsOf(form: HTMLFormElement): (HTMLInputElement | HTMLTextAreaElement)[] {
  return [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[data-place]')]
}
