import { expect, test } from 'bun:test'
import { type Exchange, exchangeOf } from '../../../../interfaces/http/request/exchange.ts'
import { answerMaker } from '../../../../interfaces/http/response/answer-maker.ts'

const ORIGIN = 'https://shop.example'
const LIMITED = { policy: '"premium";q=2;w=60', limit: '"premium";r=1;t=60', retryAfter: null }
const REFUSED = { ...LIMITED, limit: '"premium";r=0;t=9', retryAfter: '9' }

function exchange(requestId: string, own: Partial<Exchange> = {}, origin = ''): Exchange {
  const headers = origin ? { origin } : {}
  return { ...exchangeOf(new Request('http://localhost/i18n', { headers })), requestId, ...own }
}

function headersOf(answer: Response, names: readonly string[]) {
  return names.map((name) => answer.headers.get(name))
}

test('answers to the same path have their own headers each, whenever they are looked at', () => {
  const { json, error } = answerMaker({ isHttps: true, corsOrigins: [ORIGIN] })
  const first = json(exchange('first', { rateLimit: LIMITED }, ORIGIN), { a: 1 })
  const refusal = { status: 429, error: 'Later', headers: { 'X-Own': 'refused' } }
  const second = error(exchange('second', { rateLimit: REFUSED }), refusal)
  const third = json(exchange('third', { rateLimit: { ...LIMITED, limit: 'third' } }), { a: 1 })
  const uncounted = json(exchange('uncounted'), { a: 1 })

  const names = ['x-request-id', 'ratelimit', 'retry-after', 'access-control-allow-origin', 'x-own']
  expect(headersOf(first, names)).toEqual(['first', LIMITED.limit, null, ORIGIN, null])
  expect(headersOf(second, names)).toEqual(['second', REFUSED.limit, '9', null, 'refused'])
  expect(headersOf(third, names)).toEqual(['third', 'third', null, null, null])
  expect(headersOf(uncounted, names)).toEqual(['uncounted', null, null, null, null])
  expect(headersOf(uncounted, ['ratelimit-policy'])).toEqual([null])
  for (const answer of [first, second, third]) {
    const common = ['ratelimit-policy', 'content-type', 'vary', 'x-content-type-options']
    expect(headersOf(answer, common)).toEqual([
      LIMITED.policy,
      'application/json;charset=utf-8',
      'Origin',
      'nosniff',
    ])
  }
})
