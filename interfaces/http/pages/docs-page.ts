import { type Html, html } from './html.ts'
import {
  type Field,
  type Operation,
  type OperationResponse,
  readOpenApi,
} from './openapi-operations.ts'
import { type Page, PLAIN_PAGE } from './page.ts'

/** The reference that people read, made from an OpenAPI document. In English, like the API's own words. */
export function docsPage(openApiDocument: unknown): Page {
  const api = readOpenApi(openApiDocument)
  return {
    ...PLAIN_PAGE,
    language: 'en',
    look: 'wide',
    title: `${api.title} ${api.version}: API reference`,
    content: html`<h1>${api.title} <small>${api.version}</small></h1>
<p>${api.description}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a></p>
<nav aria-label="Endpoints"><ul>
${api.groups.flatMap(({ operations }) => operations).map(tableOfContentsEntry)}</ul></nav>
${api.groups.map(
  ({ name, operations }) => html`<h2>${name}</h2>\n${operations.map(operationSection)}`,
)}`,
  }
}

function tableOfContentsEntry(operation: Operation): Html {
  const { method, path, summary } = operation
  return html`<li><a href="#${idOf(operation)}"><code>${method} ${path}</code></a> ${summary}</li>\n`
}

function operationSection(operation: Operation): Html {
  const { method, path, summary, description, deprecated, security } = operation
  return html`<section>
<h3 id="${idOf(operation)}"><span class="method">${method}</span> ${path}</h3>
${deprecated && html`<p class="notice error">Deprecated</p>`}
${summary && html`<p>${summary}</p>`}
${description && html`<p>${description}</p>`}
${security.length > 0 && html`<p>Needs: <code>${security.join(', ')}</code></p>`}
${fieldTable('Parameters', operation.parameters)}
${fieldTable('Request body', operation.body)}
${responseTable(operation.responses)}
</section>
`
}

function fieldTable(heading: string, fields: readonly Field[]): Html | null {
  if (fields.length === 0) return null
  return html`<h4>${heading}</h4>
<div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fields.map(
    ({ name, place, type, required, description }) =>
      html`<tr><td><code>${name}</code>${!required && ' (optional)'}</td><td>${place}</td><td><code>${type}</code></td><td>${description}</td></tr>\n`,
  )}</tbody>
</table></div>`
}

function responseTable(responses: readonly OperationResponse[]): Html | null {
  if (responses.length === 0) return null
  return html`<h4>Responses</h4>
<div class="scroll"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Body</th></tr></thead>
<tbody>${responses.map(
    ({ status, description, types }) =>
      html`<tr><td>${status}</td><td>${description}</td><td>${types.map((type) => html`<code>${type}</code> `)}</td></tr>\n`,
  )}</tbody>
</table></div>`
}

function idOf({ method, path }: Operation): string {
  return `${method}${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}
