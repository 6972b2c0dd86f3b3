import { type Html, html } from '../html.ts'
import type { Operation, OperationResponse, RequestBody } from './openapi-operations.ts'
import type { Field } from './openapi-schema.ts'
import { codeBlock, fieldList, NOT_ALWAYS, prose } from './parts.ts'
import { curlCommand, type FilledField, requestExample } from './request-example.ts'

export function operationId({ method, path }: Operation): string {
  return `${method}${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')
}

/** `everywhere` are the headers of all answers; they are not listed again. */
export function operationSection(operation: Operation, everywhere: readonly Field[]): Html {
  const { method, path, summary, description, deprecated, parameters } = operation
  const id = operationId(operation)
  return html`<section class="operation">
<h3 id="${id}"><a class="anchor" href="#${id}"><span class="method">${method}</span> <span>${path}</span></a></h3>
${deprecated && html`<p class="notice">Deprecated</p>`}
${summary && html`<p class="summary">${summary}</p>`}
${prose(description)}
${securityLine(operation)}
${parameters.length > 0 && html`<h4>Parameters</h4>\n${fieldList(parameters, { sayPlaces: true })}`}
${operation.body && requestBody(operation, operation.body)}
<h4>Request</h4>
<div class="command">
${codeBlock(`curl for ${method} ${path}`, curlCommand(requestExample(targetOf(operation), fieldsToFill(operation)), null))}
<button type="button" class="button quiet" data-copy data-scripted hidden>Copy<span class="unseen"> curl for ${method} ${path}</span></button>
</div>
${runForm(operation, id)}
<h4>Answers</h4>
${operation.responses.map((response) => answer(operation, response, everywhere))}
</section>
`
}

function securityLine({ security, isSecurityOptional }: Operation): Html | false {
  if (security.length === 0) return false
  const link = html`<a href="#authentication"><code>${security.join(', ')}</code></a>`
  return isSecurityOptional
    ? html`<p>Takes ${link}, and does without.</p>`
    : html`<p>Needs ${link}.</p>`
}

function targetOf({ method, path, body }: Operation) {
  return { method, path, mediaType: body?.mediaType ?? null }
}

/** A field that a reader may fill in. An optional field begins empty. */
type FieldToFill = FilledField & { readonly hint: string }

/** All that a request from a page can carry: cookies it cannot. */
function fieldsToFill(operation: Operation): FieldToFill[] {
  const { parameters, body, security, isSecurityOptional } = operation
  const fields = parameters.flatMap((parameter) => {
    const { place } = parameter
    const isOffered = place === 'path' || place === 'query' || place === 'header'
    return isOffered ? [toFill(parameter, place)] : []
  })
  const areTexts = body?.fields.every(({ type }) => type === 'string')
  const properties = areTexts ? (body?.fields ?? []) : []
  return [
    ...(security.length > 0 ? [{ ...TOKEN, required: !isSecurityOptional }] : []),
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

/** Hidden until the script shows it: without the script the form could not be sent. */
function runForm(operation: Operation, id: string): Html {
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

function requestBody({ method, path }: Operation, body: RequestBody): Html {
  const { mediaType, description, type, fields, example } = body
  return html`<h4>Request body</h4>
<p><code>${mediaType}</code>${fields.length === 0 && html`: <code>${type}</code>`}</p>
${prose(description)}
${fieldList(fields)}
${example !== '' && codeBlock(`Body of ${method} ${path}`, example)}`
}

function answer(
  { method, path }: Operation,
  { status, description, headers, contents }: OperationResponse,
  everywhere: readonly Field[],
): Html {
  const isSuccess = status.startsWith('2')
  const own = headers.filter((header) => !everywhere.some((one) => Bun.deepEquals(one, header)))
  return html`<details class="answer"${isSuccess && html` open`}>
<summary><span class="status-code">${status}</span> ${description}</summary>
${contents.map(
  ({
    mediaType,
    type,
    fields,
    examples,
  }) => html`<p><code>${mediaType}</code>${fields.length + examples.length === 0 && html`: <code>${type}</code>`}</p>
${fieldList(fields)}
${examples.map((example, index) => codeBlock(`${status} of ${method} ${path}, ${mediaType}, example ${index + 1}`, example))}\n`,
)}
${own.length > 0 && ownHeaders(own)}
</details>
`
}

function ownHeaders(headers: readonly Field[]): Html {
  return html`<details>
<summary>Headers: ${headers.map(({ name }) => name).join(', ')}</summary>
${fieldList(headers, NOT_ALWAYS)}
</details>`
}
