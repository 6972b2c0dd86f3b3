import { element } from './dom.ts'
import { localStore } from './storage.ts'

/** The rows of buttons by which an excuse is chosen. The last choice is kept. */
export function choiceRows() {
  const form = element('excuse-step', HTMLFormElement)
  const buttons = form.querySelectorAll<HTMLInputElement>('.chips input')

  /** What is chosen, as a query has it; empty where any excuse will do. */
  function query(): string {
    const chosen = [...buttons].filter(({ checked, value }) => checked && value !== '')
    return new URLSearchParams(chosen.map(({ name, value }) => [name, value])).toString()
  }

  function choose(text: string): void {
    const chosen = new URLSearchParams(text)
    for (const button of buttons) {
      button.checked = (chosen.get(button.name) ?? '') === button.value
    }
    // A kept value that is not offered any more chooses nothing.
    for (const row of form.querySelectorAll('.chips')) {
      if (row.querySelector(':checked')) continue
      const any = row.querySelector<HTMLInputElement>('input[value=""]')
      if (any) any.checked = true
    }
  }

  choose(localStore.read('choice') ?? '')
  for (const button of buttons) {
    button.addEventListener('change', () => localStore.write('choice', query()))
  }
  return {
    query,
    forget() {
      localStore.write('choice', null)
      choose('')
    },
  }
}
