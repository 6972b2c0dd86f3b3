import { describe, expect, test } from 'bun:test'
import type { AccessFacts } from '../../../../application/access-repository.ts'
import type { Email } from '../../../../domain/email.ts'
import { slidingWindowLimiter } from '../../../../infrastructure/rate-limit/sliding-window-limiter.ts'
import { createApp } from '../../../../interfaces/http/app.ts'
import { createHandler } from '../../../../interfaces/http/handler.ts'
import { EMAIL, openHttp, PEER } from '../../../support/http/http-client.ts'

const OTHER = 'bob@example.com' as Email
const STRANGER = 'eve@example.com'

const TARGETS = [
  '/health',
  ...['', '?lang=sv', '?lang=pt-BR', '?lang=ZH_hant', '?lang=', '?lang=xx', '?lang=.'].flatMap(
    (search) => [`/i18n${search}`, `/premium-reasons${search}`],
  ),
  ...['', '?lang=sv', '?anything'].map((search) => `/languages${search}`),
  ...[EMAIL, EMAIL.toUpperCase(), OTHER].flatMap((email) => [
    `/auth/check?email=${email}`,
    `/auth/check?${new URLSearchParams({ email })}`,
  ]),
  ...['?lang=s%76', '?lang=sv&lang=de', '?lang', '?x=1', '?occasion=late&to=work&lang=sv']
    .flatMap((search) => [search, `${search}&length=short&tone=formal&without=child,pet`])
    .map((search) => `/premium-reasons${search}`),
  ...['?occasion=never', '?to=', '?without=Car', '?tone=plain&tone=plain', '?length=long'].map(
    (search) => `/premium-reasons${search}`,
  ),
]

/** What only the router reads: it has to give the answer, or the error. */
const UNUSUAL = [
  ...['bob', '', 'bob@-.com', '%40%40', STRANGER].map((email) => `/auth/check?email=${email}`),
  '/i18n?lang=s%76',
  '/i18n?lang=sv&lang=de',
  '/i18n?lang=sv&x=1',
  '/i18n?lang',
  '/i18n?x=1',
  '/i18n?LANG=sv',
  '/i18n?lang=a+b',
  '/auth/check',
  '/auth/check?mail=ada@example.com',
  '/auth/check?email=ada%40example%2Ecom',
  '/auth/check?email=ada%2540example.com',
  '/auth/check?email=ada%4',
  '/auth/check?email=ada+1@example.com',
  '/',
  '/i18n/',
  '//languages',
]

/** A service that remembers two addresses, and whose excuses chance does not choose, and a token for the first. */
async function open() {
  const http = openHttp()
  const { ports } = http
  await http.givePremium()
  ports.secrets.randomIndex = () => 0
  // Each answer is a reader's first.
  ports.decks = {
    deal: (_, { count }, choose) =>
      choose({ places: Array.from({ length: count }, (_, place) => place), had: 0 }),
  }
  const facts = new Map<Email, AccessFacts>()
  for (const email of [EMAIL, OTHER]) {
    facts.set(email, await ports.access.findByEmail(email, () => []))
  }
  ports.access.recall = (email) => facts.get(email) ?? null
  const app = createApp(http.options)
  return {
    http,
    handle: createHandler(http.options),
    authorization: `Bearer ${await http.tokenOf()}`,
    route: (request: Request) => app.fetch(request),
  }
}

const request = (target: string, authorization = '', method = 'GET') =>
  new Request(`http://localhost${target}`, {
    method,
    headers: authorization ? { authorization } : {},
  })

/** All of an answer but its request's id, and that people may be answered otherwise. */
async function whole(answer: Response) {
  const headers = [...answer.headers].filter(([name]) => !['x-request-id', 'vary'].includes(name))
  return { status: answer.status, headers, body: await answer.json() }
}

/** Has each kind of caller be answered as the router answers them. */
async function expectSameAnswers(target: string) {
  const { http, route, authorization } = await open()
  const callers = ['', authorization, 'Bearer forged', `Bearer ${await http.tokenOf(OTHER)}`]
  for (const caller of callers) {
    const answer = await whole(await http.handler(request(target, caller), () => PEER))
    expect(answer).toEqual(await whole(await route(request(target, caller))))
  }
}

describe('an answer from memory', () => {
  test.each(TARGETS)('comes at once, and is the one that the router gives: %s', async (target) => {
    const { handle, authorization } = await open()
    expect(handle(request(target, authorization), () => PEER)).toBeInstanceOf(Response)
    await expectSameAnswers(target)
  })

  test.each(UNUSUAL)('is none where the router has to read the request: %s', async (target) => {
    const { handle, authorization } = await open()
    expect(handle(request(target, authorization), () => PEER)).toBeInstanceOf(Promise)
    await expectSameAnswers(target)
  })

  test.each(['POST', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'])(
    'is for GET alone: %s',
    async (method) => {
      const { handle, authorization } = await open()
      for (const target of TARGETS) {
        expect(handle(request(target, authorization, method), () => PEER)).toBeInstanceOf(Promise)
      }
    },
  )

  test('counts as any other, and what is not in memory counts once', async () => {
    const { http, authorization } = await open()
    const limiter = () =>
      slidingWindowLimiter({ limit: 4, windowMs: 60_000, monotonicMs: () => 0, seeds: [1, 2] })
    const limiters = { general: limiter(), auth: limiter(), premium: limiter() }
    const handle = createHandler({ ...http.options, limiters })
    const rests: string[] = []
    for (const target of [
      `/auth/check?email=${EMAIL}`,
      `/auth/check?email=${STRANGER}`,
      '/auth/check',
      '/i18n?lang=sv',
      '/i18n?lang=s%76',
      '/premium-reasons?occasion=never',
      '/premium-reasons',
      '/i18n?lang=sv',
    ]) {
      const { headers, status } = await handle(request(target, authorization), () => PEER)
      rests.push(`${status} ${headers.get('ratelimit')}`)
    }
    expect(rests).toEqual([
      '200 "auth";r=3;t=60',
      '200 "auth";r=2;t=60',
      '400 "auth";r=1;t=60',
      '200 "premium";r=3;t=60',
      '200 "premium";r=2;t=60',
      '400 "premium";r=1;t=60',
      '200 "premium";r=0;t=60',
      '429 "premium";r=0;t=60',
    ])
  })
})
