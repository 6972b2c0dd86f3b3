import type { RequestExample } from '../docs/request-example.ts'

type Answer = {
  readonly summary: string
  readonly headers: string
  readonly body: string
}

const TIMEOUT_MS = 30_000

/** Sends the request, shows the outcome below the form, and returns the content of the answer. */
export async function outcome(
  form: HTMLFormElement,
  request: RequestExample,
): Promise<Readonly<Record<string, unknown>>> {
  show(form, { summary: 'Waiting for the answer', headers: '', body: '' })
  const startedAt = performance.now()
  const elapsed = () => `${Math.round(performance.now() - startedAt)} ms`
  try {
    const response = await send(request)
    const text = await response.text()
    const json = parse(text)
    show(form, {
      summary: summarise(response, elapsed()),
      headers: Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join('\n'),
      body: json === null ? text : JSON.stringify(json, null, 2),
    })
    return typeof json === 'object' ? { ...json } : {}
  } catch (error) {
    show(form, { summary: `${explain(error)} (${elapsed()})`, headers: '', body: '' })
    return {}
  }
}

function send({ method, path, headers, token, body }: RequestExample): Promise<Response> {
  return fetch(path, {
    method,
    headers: { ...headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body,
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
}

/** Null for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function summarise({ status, statusText, headers }: Response, elapsed: string): string {
  const retryAfter = headers.get('retry-after')
  const requestId = headers.get('x-request-id')
  return [
    `${status} ${statusText}`.trim(),
    elapsed,
    ...(retryAfter === null ? [] : [`come back in ${retryAfter} s`]),
    ...(requestId === null ? [] : [`request ${requestId}`]),
  ].join(' · ')
}

function explain(error: unknown): string {
  if (!navigator.onLine) return 'No answer: this device is offline'
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  return isTimeout ? 'No answer in time' : 'No answer: the service cannot be reached'
}

function show(form: HTMLFormElement, { summary, headers, body }: Answer): void {
  const place = form.parentElement
  const say = (selector: string, text: string) => {
    const where = place?.querySelector(selector)
    if (where) where.textContent = text
  }
  say('.outcome', summary)
  say('.result-headers', headers)
  say('.result-body', body || 'The answer has no body.')
  const result = place?.querySelector<HTMLElement>('.result')
  if (result) result.hidden = headers === ''
}
