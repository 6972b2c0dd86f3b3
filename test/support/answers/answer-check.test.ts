import { describe, expect, test } from 'bun:test'
import { openHttp } from '../http/http-client.ts'
import { answerCheck } from './answer-check.ts'
import { takeViolations } from './answer-ledger.ts'
import { checkAnswer, DOCUMENT } from './checked-answers.ts'

const REQUEST = { method: 'GET', url: 'http://localhost/languages' }

/** What /languages answers, with something else about it. */
async function languagesAnswer({
  status = 200,
  headers = {},
  body = {},
}: {
  status?: number
  headers?: Record<string, string | null>
  body?: object | string
} = {}): Promise<Response> {
  const answer = await openHttp().handler(new Request(REQUEST.url), () => null)
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) answer.headers.delete(name)
    else answer.headers.set(name, value)
  }
  const right = await answer.json()
  const text = typeof body === 'string' ? body : JSON.stringify({ ...(right as object), ...body })
  return new Response(text, { status, headers: answer.headers })
}

/** What the check says about it, once; the run must not hear of these. */
async function problemWith(response: Response, request = REQUEST): Promise<string> {
  const problem = await checkAnswer(request, response).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(takeViolations()).toHaveLength(problem === '' ? 0 : 1)
  return problem
}

describe('the check of answers', () => {
  test('lets pass what is as described, and leaves it unread', async () => {
    const answer = await languagesAnswer()
    expect(await problemWith(answer)).toBe('')
    expect(answer.bodyUsed).toBe(false)
  })

  test.each<[string, Parameters<typeof languagesAnswer>[0]]>([
    ['status is not described', { status: 418 }],
    ['media type text/plain is not described', { headers: { 'content-type': 'text/plain' } }],
    ['media type (none) is not described', { headers: { 'content-type': null } }],
    ['header x-powered-by (Bun) is not described', { headers: { 'x-powered-by': 'Bun' } }],
    ['header x-request-id is missing', { headers: { 'x-request-id': null } }],
    [
      'header cache-control (public) must be equal to constant',
      { headers: { 'cache-control': 'public' } },
    ],
    ['header ratelimit (4) must match pattern', { headers: { ratelimit: '4' } }],
    ['body must NOT have additional properties', { body: { email: 'ada@example.com' } }],
    [
      'body /languages/0 must be equal to one of the allowed values',
      { body: { languages: ['xx'] } },
    ],
    ["body must have required property 'languages'", { body: '{"default":"en"}' }],
    ['body is no JSON', { body: '{' }],
  ])('says: %s', async (problem, changes) => {
    const message = await problemWith(await languagesAnswer(changes))
    expect(message).toContain('GET /languages answered')
    expect(message).toContain(problem)
  })

  test('knows what is answered where there is no operation', async () => {
    const unknown = { method: 'GET', url: 'http://localhost/nowhere' }
    const answer = await languagesAnswer()
    expect(await problemWith(answer, unknown)).toContain('GET /nowhere answered 200')
  })

  test('goes by each operation: one may say what another may not', async () => {
    const elsewhere = { method: 'GET', url: 'http://localhost/health' }
    expect(await problemWith(await languagesAnswer(), elsewhere)).toContain('/health answered 200')
  })

  test('counts on a body where one is described, and on none where none is', () => {
    const check = answerCheck(DOCUMENT)({})
    const given = { method: 'GET', status: 204, headers: new Headers() }
    expect(check({ ...given, text: '' })).toEqual([])
    expect(check({ ...given, text: 'x' })).toEqual(['has a body that is not described'])
  })
})

describe('fetch in tests', () => {
  test('checks what an Alibi sends, and nobody else', async () => {
    const ours = await languagesAnswer({ body: { secret: 1 } })
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => (url.endsWith('/languages') ? ours : new Response('{}')),
    })
    await expect(fetch(new URL('/languages', server.url))).rejects.toThrow(
      'GET /languages answered 200, and body must NOT have additional properties',
    )
    expect(takeViolations()).toHaveLength(1)
    expect((await fetch(server.url)).status).toBe(200)
  })
})
