import { type Choice, keep } from './storage.ts'
import type { Words } from './words.ts'

const ROWS = {
  occasion: ['decline', 'cancel', 'late', 'leave', 'reply', 'miss'],
  to: ['friends', 'family', 'work', 'date'],
  tone: ['plain', 'playful', 'formal'],
} as const

/** The rows of buttons by which an excuse is chosen: the browser's own, so that arrow keys move within a row. */
export function showChoice(container: HTMLElement, words: Words, choice: Choice): void {
  const rows = Object.entries(ROWS).map(([name, values]) => {
    const row = document.createElement('fieldset')
    const legend = document.createElement('legend')
    legend.textContent = words(`${name}_label`)
    const buttons = ['', ...values].map((value) => {
      const isChosen = choice[name as keyof typeof ROWS] === value
      return chip({
        name,
        value,
        type: 'radio',
        isChosen,
        text: words(`${name}_${value || 'any'}`),
      })
    })
    row.append(legend, ...buttons)
    return row
  })
  const short = { name: 'length', value: 'short', type: 'checkbox', isChosen: choice.isShort }
  rows.at(-1)?.append(chip({ ...short, text: words('length_short') }))
  container.replaceChildren(...rows)
}

type Chip = { name: string; value: string; type: string; isChosen: boolean; text: string }

function chip({ name, value, type, isChosen, text }: Chip): HTMLElement {
  const input = Object.assign(document.createElement('input'), { type, name, value })
  input.checked = isChosen
  const shown = document.createElement('span')
  shown.textContent = text
  const label = document.createElement('label')
  label.append(input, shown)
  return label
}

export function keepChoice(form: HTMLFormElement): Promise<void> {
  const chosen = new FormData(form)
  const chosenIn = (name: string) => String(chosen.get(name) ?? '')
  const [occasion, to, tone] = [chosenIn('occasion'), chosenIn('to'), chosenIn('tone')]
  return keep({ choice: { occasion, to, tone, isShort: chosen.has('length') } })
}
