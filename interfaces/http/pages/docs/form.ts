import { type Html, html } from '../html.ts'
import type { Operation } from './openapi-operations.ts'
import type { Field } from './openapi-schema.ts'
import type { FilledField } from './request-example.ts'

/** A field that a reader may fill in. What is not needed begins empty. */
type FieldToFill = FilledField & { readonly hint: string }

/** All that can be told to the service by a request from a page: cookies cannot. */
export function fieldsToFill(operation: Operation): FieldToFill[] {
  const { parameters, body, security } = operation
  const fields = parameters.flatMap((parameter) => {
    const { place } = parameter
    const isOffered = place === 'path' || place === 'query' || place === 'header'
    return isOffered ? [toFill(parameter, place)] : []
  })
  const areTexts = body?.fields.every(({ type }) => type === 'string')
  const properties = areTexts ? (body?.fields ?? []) : []
  return [
    ...(security.length > 0 ? [TOKEN] : []),
    ...fields,
    ...properties.map((property) => toFill(property, 'property')),
    ...(body && properties.length === 0
      ? [{ name: 'body', place: 'body', value: body.example, required: true, hint: '' } as const]
      : []),
  ]
}

const TOKEN: FieldToFill = { name: 'token', place: 'token', value: '', required: true, hint: '' }

function toFill(field: Field, place: FilledField['place']): FieldToFill {
  const { name, required, example } = field
  return { name, place, required, value: required ? example : '', hint: required ? '' : example }
}

/** For the script to show: without it, there is nobody to send what was filled in. */
export function runForm(operation: Operation, id: string): Html {
  const { method, path, body } = operation
  return html`<details class="run" data-scripted hidden>
<summary>Run it<span class="unseen">: ${method} ${path}</span></summary>
<form data-method="${method}" data-path="${path}"${body && html` data-media-type="${body.mediaType}"`} autocomplete="off" novalidate>
${fieldsToFill(operation).map((field) => formField(field, `${id}-${field.place}-${field.name}`))}
<button class="button">Send ${method} ${path}</button>
<p class="hint">To this very service, within its <a href="#rate-limits">rate limits</a>.</p>
</form>
<p class="outcome" role="status"></p>
<div class="result" hidden>
<h4>Headers</h4>
<pre class="result-headers" tabindex="0" role="group" aria-label="Headers of the answer to ${method} ${path}"></pre>
<h4>Body</h4>
<pre class="result-body" tabindex="0" role="group" aria-label="Body of the answer to ${method} ${path}"></pre>
</div>
</details>`
}

function formField({ name, place, value, required, hint }: FieldToFill, id: string): Html {
  const label = html`<label for="${id}">${name}${!required && html` <span class="hint">(optional)</span>`}</label>`
  const attributes = html`id="${id}" name="${name}" data-place="${place}"${required && html` required`} autocomplete="${name === 'email' ? 'email' : 'off'}" autocapitalize="none" spellcheck="false" dir="ltr"`
  return place === 'body'
    ? html`${label}\n<textarea ${attributes} rows="6">${value}</textarea>\n`
    : html`${label}\n<input type="text" ${attributes} value="${value}"${hint !== '' && html` placeholder="${hint}"`}>\n`
}
