import { type Html, html } from '../html.ts'
import { fieldsToFill, runForm } from './form.ts'
import type { Operation, OperationResponse, RequestBody } from './openapi-operations.ts'
import type { Field } from './openapi-schema.ts'
import { codeBlock, fieldList, NOT_ALWAYS, prose } from './parts.ts'
import { curlCommand, requestExample } from './request-example.ts'

export function operationId({ method, path }: Operation): string {
  return `${method}${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')
}

/** `everywhere` are the headers of all answers, which need not be told each time. */
export function operationSection(operation: Operation, everywhere: readonly Field[]): Html {
  const { method, path, summary, description, deprecated, security, parameters } = operation
  const id = operationId(operation)
  return html`<section class="operation">
<h3 id="${id}"><a class="anchor" href="#${id}"><span class="method">${method}</span> <span>${path}</span></a></h3>
${deprecated && html`<p class="notice">Deprecated</p>`}
${summary && html`<p class="summary">${summary}</p>`}
${prose(description)}
${security.length > 0 && html`<p>Needs <a href="#authentication"><code>${security.join(', ')}</code></a>.</p>`}
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

function targetOf({ method, path, body }: Operation) {
  return { method, path, mediaType: body?.mediaType ?? null }
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
