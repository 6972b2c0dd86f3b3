import { element } from './elements.ts'
import { visit } from './memory.ts'

const STEPS = ['email', 'code', 'buy', 'excuse'] as const
export type Step = (typeof STEPS)[number]

/** The step that is on the page. */
export function shownStep(): Step {
  return STEPS.find((step) => !form(step).hidden) ?? 'email'
}

/** Null shows none of them. */
export function showStep(step: Step | null): void {
  for (const name of STEPS) form(name).hidden = name !== step
  document.body.dataset['step'] = step ?? ''
  if (!step) return
  // What goes wrong is said below the button that was pressed.
  form(step).querySelector('.button')?.after(element('feedback', HTMLElement))
  visit.write('step', step)
}

/** Shows a step and puts the keyboard there. */
export function moveTo(step: Step): void {
  showStep(step)
  form(step).querySelector<HTMLElement>('input, button')?.focus()
}

/** Says of a step's form that an answer is awaited. */
export function markBusy(isBusy: boolean): void {
  for (const step of STEPS) {
    if (isBusy && step === shownStep()) form(step).setAttribute('aria-busy', 'true')
    else form(step).removeAttribute('aria-busy')
  }
}

export function onSubmit(step: Step, submit: () => void): void {
  form(step).addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
}

function form(step: Step): HTMLFormElement {
  return element(`${step}-step`, HTMLFormElement)
}
