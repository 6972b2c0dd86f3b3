import { element } from './dom.ts'
import { sessionStore } from './storage.ts'

const STEPS = ['email', 'code', 'buy', 'payment', 'excuse'] as const
export type Step = (typeof STEPS)[number]

/** The step that the page shows; null before it has chosen one. */
export function shownStep(): Step | null {
  return STEPS.find((step) => !form(step).hidden) ?? null
}

/** Null shows none of them. */
export function showStep(step: Step | null): void {
  for (const name of STEPS) form(name).hidden = name !== step
  document.body.dataset['step'] = step ?? 'none'
  // An error is shown below the button that was pressed.
  const feedback = element('feedback', HTMLElement)
  const button = step && mainButton(step)
  if (button) button.after(feedback)
  else element('card', HTMLElement).append(feedback)
  if (step) sessionStore.write('step', step)
}

/** Shows a step and puts the keyboard there: on its field, its main button, or what it says. */
export function moveTo(step: Step): void {
  showStep(step)
  form(step).querySelector<HTMLElement>('input:not([name]), .button, [tabindex]')?.focus()
}

/** Puts the keyboard on the main button, where the element that had it goes away. */
export function focusStep(): void {
  const step = shownStep()
  if (step) mainButton(step)?.focus()
}

/** Says of a step's button that an answer is awaited. */
export function markBusy(isBusy: boolean): void {
  const shown = shownStep()
  for (const step of STEPS) {
    if (isBusy && step === shown) mainButton(step)?.setAttribute('aria-busy', 'true')
    else mainButton(step)?.removeAttribute('aria-busy')
  }
}

export function onSubmit(step: Step, submit: () => void): void {
  form(step).addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
}

function mainButton(step: Step): HTMLElement | null {
  return form(step).querySelector<HTMLElement>('.button')
}

function form(step: Step): HTMLFormElement {
  return element(`${step}-step`, HTMLFormElement)
}
