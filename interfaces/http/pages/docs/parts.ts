import { type Html, html } from '../html.ts'
import type { Field } from './openapi-schema.ts'

/** Paragraphs, and code between backticks. */
export function prose(text: string): Html[] {
  return text
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((paragraph) => html`<p>${inline(paragraph)}</p>\n`)
}

function inline(text: string): (Html | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
}

/** A long one scrolls, so that the keyboard has to reach it. */
export function codeBlock(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}

type FieldWords = {
  /** The note on a field that may be missing. */
  readonly optional?: string
  readonly sayPlaces?: boolean
}

/** Of headers that not all of the answers have. */
export const NOT_ALWAYS: FieldWords = { optional: 'not on every one' }

export function fieldList(
  fields: readonly Field[],
  { optional = 'optional', sayPlaces = false }: FieldWords = {},
): Html | null {
  if (fields.length === 0) return null
  return html`<dl class="fields">
${fields.map((field) => {
  const words = [...(sayPlaces ? [field.place] : []), ...(field.required ? [] : [optional])]
  return html`<div>
<dt><code>${field.name}</code> <span class="hint">${words.join(', ')}</span></dt>
<dd><code>${field.type}</code> ${inline(field.description)} ${details(field)}</dd>
</div>\n`
})}</dl>`
}

/** Examples of a body's fields stand in the example of the body. */
function details({ constraints, example, place }: Field): Html[] {
  const hasExample = example !== '' && place !== 'body'
  const all = hasExample ? [...constraints, { label: 'Such as', value: example }] : constraints
  return all.map(
    ({ label, value }) => html`<span class="hint">${label} <code>${value}</code></span> `,
  )
}
