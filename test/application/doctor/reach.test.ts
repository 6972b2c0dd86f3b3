import { expect, test } from 'bun:test'
import {
  checkReach,
  type Probe,
  type ReachFacts,
  type Trouble,
} from '../../../application/doctor/reach.ts'

const answer = (own: Partial<Probe & { kind: 'answer' }> = {}): Probe => ({
  kind: 'answer',
  status: 200,
  location: null,
  isAlibi: true,
  draw: null,
  version: null,
  ...own,
})
const silence = (trouble: Trouble, code = 'CODE'): Probe => ({ kind: 'no_answer', trouble, code })

const WELL: ReachFacts = {
  publicUrl: 'https://alibi.example',
  publicAnswer: answer(),
  localUrl: 'http://127.0.0.1:3000',
  localAnswer: answer(),
  servedVersion: '1.2.3',
}
const check = (own: Partial<ReachFacts> = {}) =>
  checkReach({ ...WELL, ...own }, { version: '1.2.3' })
const told = (own: Partial<ReachFacts>) => check(own).map(({ name, level }) => [name, level])

test('a service that answers both ways is well', () => {
  expect(check().map(({ name, level, text }) => [name, level, text])).toEqual([
    ['service', 'ok', 'ready at http://127.0.0.1:3000'],
    ['public url', 'ok', 'https://alibi.example leads to the service, which is ready'],
  ])
})

test.each<[Probe, string, string]>([
  [silence('refused', 'ECONNREFUSED'), 'warning', 'start the service'],
  [silence('too_late', 'ABORT_ERR'), 'failed', 'restart'],
  [silence('broken', 'ECONNRESET'), 'failed', 'restart'],
  [answer({ status: 503 }), 'failed', 'log'],
  [answer({ isAlibi: false }), 'failed', 'PORT'],
  [answer({ isAlibi: false, status: 404 }), 'failed', 'PORT'],
  // Many programs refuse as Alibi does.
  [answer({ status: 404 }), 'failed', 'PORT'],
])('of the service here, %j is %s', (localAnswer, level, advice) => {
  expect(check({ localAnswer })[0]).toMatchObject({
    name: 'service',
    level,
    advice: expect.stringContaining(advice),
  })
})

test('a silent service is reported as silent, and not by a code', () => {
  const [finding] = check({ localAnswer: silence('too_late', 'ABORT_ERR') })
  expect(finding?.text).toBe('http://127.0.0.1:3000 does not answer in time')
  const [other] = check({ localAnswer: silence('broken', 'HPE_INVALID_CONSTANT') })
  expect(other?.text).toEndWith('does not answer as it should (HPE_INVALID_CONSTANT)')
})

test('an Alibi behind PUBLIC_URL is another one where nothing listens here', () => {
  const [, finding] = check({ localAnswer: silence('refused', 'ECONNREFUSED') })
  expect(finding).toMatchObject({ name: 'public url', level: 'warning' })
  expect(finding?.text).toContain('not to http://127.0.0.1:3000')
  expect(told({ localUrl: null, localAnswer: null })[1]).toEqual(['public url', 'ok'])
  expect(told({ localAnswer: silence('too_late') })[1]).toEqual(['public url', 'ok'])
})

test.each<[Probe, string]>([
  [silence('unknown_name', 'ENOTFOUND'), 'not known (ENOTFOUND)'],
  [silence('unknown_name', 'EAI_AGAIN'), 'no name server says'],
  [silence('refused', 'ECONNREFUSED'), 'nothing listens'],
  [silence('certificate', 'CERT_HAS_EXPIRED'), 'does not hold (CERT_HAS_EXPIRED)'],
  [silence('no_tls'), 'does not speak TLS'],
  [silence('too_late'), 'in time'],
  [silence('broken', 'EHOSTUNREACH'), 'cannot be reached (EHOSTUNREACH)'],
  [answer({ status: 503 }), 'not ready'],
  [answer({ isAlibi: false, status: 502 }), 'does not reach the service (HTTP 502)'],
  [answer({ isAlibi: false, status: 503 }), 'does not reach the service (HTTP 503)'],
  [answer({ isAlibi: false, status: 504 }), 'does not reach the service (HTTP 504)'],
  [answer({ isAlibi: false }), 'is not Alibi (HTTP 200)'],
  [answer({ isAlibi: false, status: 404 }), 'is not Alibi (HTTP 404)'],
  [
    answer({ isAlibi: false, status: 308, location: 'https://www.alibi.example/ready' }),
    'redirects to https://www.alibi.example/ready',
  ],
])('of PUBLIC_URL, %j fails in words of its own', (publicAnswer, text) => {
  const [, finding] = check({ publicAnswer })
  expect(finding).toMatchObject({ name: 'public url', level: 'failed' })
  expect(finding?.text).toContain(text)
  expect(finding?.text).toContain('https://alibi.example')
})

test('where a port or an address is not known, that is said', () => {
  expect(told({ localUrl: null, localAnswer: null })[0]).toEqual(['service', 'skipped'])
  expect(told({ publicUrl: null, publicAnswer: null })[1]).toEqual(['public url', 'skipped'])
})

test('the finding on a proxy that does not reach the service says where the service listens', () => {
  const publicAnswer = answer({ isAlibi: false, status: 502 })
  expect(check({ publicAnswer })[1]?.advice).toContain('http://127.0.0.1:3000')
  const unknown = check({ publicAnswer, localUrl: null, localAnswer: null })
  expect(unknown[1]?.advice).toContain('HOST and PORT')
})

test('another version that serves is a warning', () => {
  expect(told({ servedVersion: '1.2.2' })).toContainEqual(['service', 'warning'])
  expect(told({ servedVersion: null })).toHaveLength(2)
})
