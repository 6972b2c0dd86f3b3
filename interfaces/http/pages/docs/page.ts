import { type Html, html } from '../html.ts'
import { type Page, PLAIN_PAGE } from '../page.ts'
import {
  type ApiDescription,
  type Operation,
  type OperationGroup,
  readOpenApi,
} from './openapi-operations.ts'
import type { Field } from './openapi-schema.ts'
import { operationId, operationSection } from './operation.ts'
import { codeBlock, fieldList, NOT_ALWAYS, prose } from './parts.ts'

/** The reference that people read, made from an OpenAPI document. In English, like the API's own words. */
export function docsPage(openApiDocument: unknown): Page {
  const api = readOpenApi(openApiDocument)
  const operations = api.groups.flatMap((group) => group.operations)
  const everywhere = headersOfAll(operations.flatMap(({ responses }) => responses))
  return {
    ...PLAIN_PAGE,
    language: 'en',
    look: 'reference',
    script: 'docs.js',
    title: `${api.title} ${api.version}: API reference`,
    tools: html`<a href="/openapi.json">openapi.json</a>`,
    content: html`<div class="intro">
<h1>${api.title} <small>${api.version}</small></h1>
${prose(api.description)}
<p>Programs read <a href="/openapi.json">openapi.json</a>. People do it all on <a href="/app">one page</a>.</p>
</div>
${contents(api)}
<div class="chapters">
${tryingOut()}
${authentication(api, operations)}
${errors(operations)}
${rateLimits(operations, everywhere)}
${everyHeader(everywhere)}
${api.groups.map((group) => chapter(group, everywhere))}
</div>
<p id="copied" class="unseen" role="status"></p>`,
  }
}

function contents({ groups }: ApiDescription): Html {
  return html`<nav class="contents" aria-label="Contents">
<ul>
<li><a href="#trying-out">Trying it out</a></li>
<li><a href="#authentication">Authentication</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#rate-limits">Rate limits</a></li>
<li><a href="#headers">Headers</a></li>
${groups.map(
  ({ name, operations }) => html`<li><a href="#${chapterId(name)}">${titled(name)}</a>
<ul>
${operations.map((operation) => html`<li>${operationLink(operation)}</li>\n`)}</ul></li>\n`,
)}</ul>
</nav>`
}

function tryingOut(): Html {
  return html`<section>
<h2 id="trying-out">Trying it out</h2>
<p>Every request is shown as a line for the shell.<span data-scripted hidden> It changes with what you fill in under “Run it”, which sends the request from this page. Both act on this very service: mails are sent, codes are used up, and requests count against the rate limits. Nothing is sent until you press the button. What you type into a field, and the token of an answer, goes into the fields of the same name, and is forgotten when you leave the page.</span></p>
<div data-unscripted>
<p>The lines take the address of the service from a variable:</p>
${codeBlock('The address of the service', 'ALIBI=https://alibi.example.com')}
</div>
</section>`
}

function authentication({ securitySchemes }: ApiDescription, operations: readonly Operation[]) {
  const guarded = operations.filter(({ security }) => security.length > 0)
  const taken = guarded.filter(({ isSecurityOptional }) => isSecurityOptional)
  return html`<section>
<h2 id="authentication">Authentication</h2>
${securitySchemes.map(
  ({
    name,
    scheme,
    format,
    description,
  }) => html`<p><code>${name}</code>: HTTP scheme <code>${scheme}</code>${format && html` (${format})`}</p>
${prose(description)}
${codeBlock(`The header for ${name}`, 'Authorization: Bearer $TOKEN')}\n`,
)}
<p>Asked for by:</p>
${operationList(guarded.filter(({ isSecurityOptional }) => !isSecurityOptional))}
${taken.length > 0 && html`<p>Taken by:</p>\n${operationList(taken)}`}
</section>`
}

/** Every body of an error, with the statuses that it comes with. */
function errors(operations: readonly Operation[]): Html {
  const bodies = new Map<string, Set<string>>()
  const answers = operations.flatMap(({ responses }) => responses)
  for (const { status, contents } of answers.filter((answer) => Number(answer.status) >= 400)) {
    for (const { mediaType, examples } of contents) {
      if (!mediaType.includes('json')) continue
      for (const body of examples) bodies.set(body, (bodies.get(body) ?? new Set()).add(status))
    }
  }
  const sorted = Array.from(bodies, ([body, statuses]) => ({ body, statuses: [...statuses] }))
  sorted.sort((one, other) => Number(one.statuses[0]) - Number(other.statuses[0]))
  return html`<section>
<h2 id="errors">Errors</h2>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Body</th></tr></thead>
<tbody>
${sorted.map(
  ({ body, statuses }) =>
    html`<tr><td>${statuses.join(', ')}</td><td><code>${body.replace(/\s+/g, ' ')}</code></td></tr>\n`,
)}</tbody>
</table>
</section>`
}

function rateLimits(operations: readonly Operation[], everywhere: readonly Field[]): Html {
  const refusalsOf = ({ responses }: Operation) =>
    responses.filter(({ status }) => status === '429')
  const unlimited = operations.filter((operation) => refusalsOf(operation).length === 0)
  const headers = headersOfAll(operations.flatMap(refusalsOf)).filter(
    ({ name }) => !everywhere.some((header) => header.name === name),
  )
  return html`<section>
<h2 id="rate-limits">Rate limits</h2>
<p>Requests are counted, and their answers say how many are left. A 429 says when to come back:</p>
${fieldList(headers, NOT_ALWAYS)}
<p>Not counted:</p>
${operationList(unlimited)}
</section>`
}

function everyHeader(everywhere: readonly Field[]): Html {
  return html`<section>
<h2 id="headers">Headers</h2>
<p>On every answer, but for those of which it says “not on every one”. An answer that has others, or other values, lists them.</p>
${fieldList(everywhere, NOT_ALWAYS)}
</section>`
}

function chapter({ name, description, operations }: OperationGroup, everywhere: readonly Field[]) {
  return html`<section>
<h2 id="${chapterId(name)}">${titled(name)}</h2>
${prose(description)}
${operations.map((operation) => operationSection(operation, everywhere))}
</section>\n`
}

/** The headers that all of the answers have, as most of them have it. */
function headersOfAll(responses: Operation['responses']): Field[] {
  const [first, ...others] = responses
  const shared = (first?.headers ?? []).filter(({ name }) =>
    others.every(({ headers }) => headers.some((header) => header.name === name)),
  )
  return shared.map(({ name }) => mostFrequent(responses, name)).filter((header) => header !== null)
}

function mostFrequent(responses: Operation['responses'], name: string): Field | null {
  const all = responses.flatMap(({ headers }) => headers.filter((header) => header.name === name))
  const alike = Map.groupBy(all, (header) => JSON.stringify(header))
  const [most] = [...alike.values()].sort((one, other) => other.length - one.length)
  return most?.[0] ?? null
}

function operationList(operations: readonly Operation[]): Html {
  return html`<ul class="operations">
${operations.map((operation) => html`<li>${operationLink(operation)}</li>\n`)}</ul>`
}

function operationLink(operation: Operation): Html {
  const { method, path } = operation
  return html`<a href="#${operationId(operation)}"><code>${method} ${path}</code></a>`
}

/** Apart from those of the operations, which begin with their method. */
function chapterId(name: string): string {
  return `about-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
}

function titled(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
