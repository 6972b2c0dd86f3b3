import { expect, test } from 'bun:test'
import {
  checkWebhook,
  type Endpoint,
  type EndpointFacts,
} from '../../../application/doctor/webhook.ts'

const URL_HERE = 'https://alibi.example/webhook/stripe'
const OTHER_URL_HERE = 'https://alibi.example/webhook/payment'
const EVENTS = ['checkout.session.completed', 'refund.created']
const ENDPOINT: Endpoint = { url: URL_HERE, isEnabled: true, events: EVENTS, apiVersion: null }

const listing = (...value: Endpoint[]): EndpointFacts => ({
  listed: { kind: 'answered', value },
  wantedUrls: [URL_HERE, OTHER_URL_HERE],
  wantedEvents: EVENTS,
  apiVersion: '2026-10-28.endive',
  thinUrls: [],
  undelivered: 0,
})
const told = (facts: EndpointFacts) => checkWebhook(facts).map(({ level, text }) => [level, text])

test.each<[string, Partial<Endpoint>]>([
  ['listens to what is needed', {}],
  ['listens to more than that', { events: [...EVENTS, 'charge.succeeded'] }],
  ['listens to everything', { events: ['*'] }],
  ['has the other address', { url: OTHER_URL_HERE }],
  ['speaks the version that is read', { apiVersion: '2026-10-28.endive' }],
])('an endpoint that %s is well', (_, own) => {
  const endpoint = { ...ENDPOINT, ...own }
  expect(told(listing(endpoint))).toEqual([
    ['ok', `${endpoint.url} is enabled, and listens to all that is needed`],
  ])
})

test('an endpoint of the style "thin" is named, beside one that is well and where it is the only one', () => {
  const thin = { thinUrls: [`${URL_HERE}?key=secret`, 'https://other.example/hook'] }
  const finding = {
    name: 'webhook',
    level: 'warning',
    text: `${URL_HERE} gets events of the style "thin", which do not say what has happened`,
    advice: expect.stringContaining('"snapshot"'),
  }
  expect(checkWebhook({ ...listing(ENDPOINT), ...thin })).toMatchObject([finding, { level: 'ok' }])
  expect(checkWebhook({ ...listing(), ...thin })).toMatchObject([finding, { level: 'failed' }])
})

test('while it is not known where the service is, no endpoint is missed', () => {
  expect(told({ ...listing(ENDPOINT), wantedUrls: [] })).toEqual([
    ['skipped', 'PUBLIC_URL has to be right first'],
  ])
})

test('endpoints of others do no harm', () => {
  const other = { ...ENDPOINT, url: 'https://other.example/hook', isEnabled: false, events: [] }
  expect(checkWebhook(listing(other, ENDPOINT))).toMatchObject([{ level: 'ok' }])
})

test('an endpoint is known by where its requests go, however that is written', () => {
  for (const url of [
    'https://ALIBI.example/webhook/stripe',
    'https://alibi.example:443/webhook/stripe',
    `${URL_HERE}?key=secret#x`,
  ]) {
    expect(told(listing({ ...ENDPOINT, url }))).toEqual([
      ['ok', `${URL_HERE} is enabled, and listens to all that is needed`],
    ])
    expect(told(listing({ ...ENDPOINT, url, isEnabled: false }))).toEqual([
      ['failed', `${URL_HERE} is disabled`],
    ])
  }
})

test('where there is none, those that are there are named, without what may be a key', () => {
  const [finding] = checkWebhook(
    listing(
      { ...ENDPOINT, url: 'https://alibi.example/webhook/stripe/' },
      { ...ENDPOINT, url: 'https://user:pass@other.example/hook?token=secret#x' },
    ),
  )
  expect(finding).toMatchObject({ name: 'webhook', level: 'failed' })
  expect(finding?.text).toContain(`no endpoint for ${URL_HERE}`)
  expect(finding?.text).toContain(
    'https://alibi.example/webhook/stripe/, https://other.example/hook',
  )
  expect(finding?.text).not.toMatch(/pass|secret/)
  for (const event of EVENTS) expect(finding?.advice).toContain(event)
  expect(told(listing())).toMatchObject([['failed', expect.stringContaining('there is none')]])
})

test('an address that Stripe cannot reach is a warning with the command that forwards to it', () => {
  for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
    const wantedUrls = [`http://${host}/webhook/stripe`]
    const [finding] = checkWebhook({ ...listing(ENDPOINT), wantedUrls })
    expect(finding).toMatchObject({ level: 'warning' })
    expect(finding?.advice).toContain('stripe listen --forward-to')
  }
})

test('a disabled one fails', () => {
  const facts = listing({ ...ENDPOINT, isEnabled: false })
  expect(told(facts)).toEqual([['failed', `${URL_HERE} is disabled`]])
})

test('events that are missing fail, by name', () => {
  const facts = listing({ ...ENDPOINT, events: ['refund.created'] })
  expect(told(facts)).toEqual([
    ['failed', `${URL_HERE} does not listen to checkout.session.completed`],
  ])
})

test('another API version is a warning', () => {
  const facts = listing({ ...ENDPOINT, apiVersion: '2020-08-27' })
  expect(told(facts)).toMatchObject([['warning', expect.stringContaining('2020-08-27')]])
})

test('two that lead here are a warning, and may share the events', () => {
  const facts = listing(
    { ...ENDPOINT, events: ['refund.created'] },
    { ...ENDPOINT, url: OTHER_URL_HERE, events: ['checkout.session.completed'] },
  )
  expect(checkWebhook(facts)).toMatchObject([
    { level: 'warning', text: expect.stringContaining('2 endpoints') },
    { level: 'ok' },
  ])
})

test('a key that may not read them is a warning with the permission', () => {
  const facts: EndpointFacts = { ...listing(), listed: { kind: 'refused', status: 403 } }
  const [finding] = checkWebhook(facts)
  expect(finding).toMatchObject({ level: 'warning' })
  expect(finding?.advice).toContain('Webhook Endpoints')
})

test('a list that does not come fails', () => {
  const facts: EndpointFacts = { ...listing(), listed: { kind: 'unreachable', reason: 'HTTP 500' } }
  expect(told(facts)).toMatchObject([['failed', expect.stringContaining('HTTP 500')]])
})

test('notifications that were not taken are a warning that names the signing secret', () => {
  const [, finding] = checkWebhook({ ...listing(ENDPOINT), undelivered: 3 })
  expect(finding).toMatchObject({ level: 'warning', text: expect.stringContaining('3 ') })
  expect(finding?.advice).toContain('STRIPE_WEBHOOK_SECRET')
  expect(told({ ...listing(ENDPOINT), undelivered: null })).toHaveLength(1)
})
