import { describe, expect, test } from 'bun:test'
import { orElse, whenKnown } from '../../../../application/maybe-promise.ts'
import { createApp } from '../../../../interfaces/http/app.ts'
import { exchangeOf } from '../../../../interfaces/http/request/exchange.ts'
import { directAnswers } from '../../../../interfaces/http/routes/direct.ts'
import { EMAIL, openHttp, PEER } from '../../../support/http/http-client.ts'

const TARGETS = [
  '/health',
  ...['', '?lang=sv', '?lang=pt-BR', '?lang=ZH_hant', '?lang=', '?lang=xx', '?lang=.'].flatMap(
    (search) => [`/i18n${search}`, `/premium-reasons${search}`],
  ),
  ...['', '?lang=sv', '?anything'].map((search) => `/languages${search}`),
  ...[EMAIL, EMAIL.toUpperCase(), 'bob@example.com', 'bob', '', 'bob@-.com'].flatMap((email) => [
    `/auth/check?email=${email}`,
    `/auth/check?${new URLSearchParams({ email })}`,
  ]),
  '/auth/check?email=%40%40',
  ...['?lang=s%76', '?lang=sv&lang=de', '?lang', '?x=1', '?occasion=late&to=work&lang=sv']
    .flatMap((search) => [search, `${search}&length=short&tone=formal&without=child,pet`])
    .map((search) => `/premium-reasons${search}`),
  ...['?occasion=never', '?to=', '?without=Car', '?tone=plain&tone=plain', '?length=long'].map(
    (search) => `/premium-reasons${search}`,
  ),
]

/** What only the router reads: it has to give the answer, or the error. */
const UNUSUAL = [
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

/** A service whose excuses chance does not choose, and a token for it. */
async function open() {
  const http = openHttp()
  await http.givePremium()
  http.ports.secrets.randomIndex = () => 0
  // Each answer is a reader's first.
  http.ports.decks = {
    deal: (_, { count }, choose) =>
      choose({ places: Array.from({ length: count }, (_, place) => place), had: 0 }),
  }
  const app = createApp(http.options)
  return {
    http,
    direct: directAnswers(http.options),
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

/** The answers to the target, directly and by the router, for each kind of caller. */
async function answersTo(target: string) {
  const { http, route, authorization } = await open()
  const callers = [
    '',
    authorization,
    'Bearer forged',
    `Bearer ${await http.tokenOf('bob@example.com')}`,
  ]
  const found = []
  for (const caller of callers) {
    found.push({
      direct: await whole(await http.handler(request(target, caller), () => PEER)),
      routed: await whole(await route(request(target, caller))),
    })
  }
  return found
}

describe('a direct answer', () => {
  test.each(TARGETS)('is the one that the router gives: %s', async (target) => {
    const { direct } = await open()
    const isDirect = await orElse(
      () => whenKnown(direct(exchangeOf(request(target))), (value) => value !== null),
      () => true,
    )
    expect(isDirect).toBe(true)
    for (const answers of await answersTo(target)) expect(answers.direct).toEqual(answers.routed)
  })

  test.each(UNUSUAL)('is left to the router: %s', async (target) => {
    const { direct, authorization } = await open()
    expect(direct(exchangeOf(request(target, authorization)))).toBeNull()
    for (const answers of await answersTo(target)) expect(answers.direct).toEqual(answers.routed)
  })

  test.each(['POST', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'])(
    'is for GET alone: %s',
    async (method) => {
      const { direct, authorization } = await open()
      for (const target of TARGETS) {
        expect(direct(exchangeOf(request(target, authorization, method)))).toBeNull()
      }
    },
  )

  test('is there at once, without a promise, where all of it is in memory', async () => {
    const { direct, authorization, http } = await open()
    const { findByEmail } = http.ports.access
    const facts = await findByEmail(EMAIL, () => http.ports.secrets.erasureDigests(EMAIL))
    http.ports.access.findByEmail = () => facts
    const claims = await http.ports.tokens.verify(authorization.slice('Bearer '.length))
    http.ports.tokens.verify = () => claims
    for (const target of ['/premium-reasons', '/i18n?lang=sv', `/auth/check?email=${EMAIL}`]) {
      const answer = direct(exchangeOf(request(target, authorization)))
      expect(answer).not.toBeNull()
      expect(answer).not.toBeInstanceOf(Promise)
    }
  })
})
