import { afterAll, afterEach, setDefaultTimeout } from 'bun:test'
import { keepLedger, ledgerLines, takeViolations } from './support/answers/answer-ledger.ts'
import { TEST_LIMIT_MS } from './support/patience.ts'

/** By this header the answers of Alibi differ from those of the doubles; see exchange.ts. */
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Bun forgets this after the first file: a run of several files needs `--timeout`, as `test/run.ts` gives it. */
setDefaultTimeout(TEST_LIMIT_MS)

const realFetch = globalThis.fetch

/** Every answer of an Alibi that a test has started is checked before the test sees it. */
async function checkedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await realFetch(input, init)
  if (REQUEST_ID.test(response.headers.get('x-request-id') ?? '')) {
    // Loaded by the first such answer, since most runs of a single file have none.
    const { checkAnswer } = await import('./support/answers/checked-answers.ts')
    // A client follows a redirect with GET.
    const method = response.redirected ? 'GET' : methodOf(input, init)
    await checkAnswer({ url: response.url, method }, response)
  }
  return response
}

function methodOf(input: Parameters<typeof fetch>[0], init?: RequestInit): string {
  return (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
}

globalThis.fetch = Object.assign(checkedFetch, { preconnect: realFetch.preconnect })

afterEach(() => {
  const violations = takeViolations()
  if (violations.length > 0) {
    throw new Error(`not as described in the OpenAPI document:\n${violations.join('\n')}`)
  }
})

afterAll(() => {
  const folder = process.env['TEST_LEDGERS']
  if (folder !== undefined) return keepLedger(folder)

  const lines = ledgerLines()
  if (lines.length > 0) {
    process.stdout.write(`\nAnswers checked against the OpenAPI document:\n${lines.join('\n')}\n`)
  }
})
