import { expect, test } from 'bun:test'
import { checkMail, type MailFacts } from '../../../application/doctor/mail.ts'

type Asked = NonNullable<MailFacts>

const DOMAIN = 'mail.example.com'
const verified = { name: DOMAIN, status: 'verified' }
const knowing = (...domains: { name: string; status: string }[]): Asked => ({
  senderDomain: DOMAIN,
  domains: { kind: 'answered', value: domains },
  testMail: null,
})
const told = (facts: MailFacts) => checkMail(facts).map(({ level, text }) => [level, text])

test('a key that works and a domain that is verified are well', () => {
  const found = told(knowing({ name: 'other.example', status: 'pending' }, verified))
  expect(found).toEqual([['ok', `the key works, and ${DOMAIN} is verified`]])
  expect(checkMail(knowing({ ...verified, name: 'Mail.Example.com' }))).toMatchObject([
    { level: 'ok' },
  ])
})

test('mails on the console need no provider', () => {
  expect(told(null)).toEqual([['ok', 'shown on the console']])
})

test.each(['pending', 'failed', 'not_started', 'partially_verified'])(
  'a domain that is %s fails',
  (status) => {
    const [finding] = checkMail(knowing({ name: DOMAIN, status }))
    expect(finding).toMatchObject({ level: 'failed', text: expect.stringContaining(status) })
    expect(finding?.advice).toContain('DNS')
  },
)

test.each([
  [[], 'it knows none'],
  [[{ name: 'example.com', status: 'verified' }], 'it knows example.com'],
  [[{ name: 'a.mail.example.com', status: 'verified' }], 'it knows a.mail.example.com'],
])('a domain above or below does not stand for it: %j', (domains, text) => {
  expect(checkMail(knowing(...domains))).toMatchObject([
    { level: 'failed', text: expect.stringContaining(text) },
  ])
})

test.each<[Asked['domains'], string, string]>([
  [{ kind: 'refused', status: 401 }, 'failed', 'HTTP 401'],
  [{ kind: 'unreachable', reason: 'no answer within 8 s' }, 'failed', 'no answer within 8 s'],
  [{ kind: 'sending_only' }, 'warning', 'may send'],
])('%j is told as what it is', (domains, level, text) => {
  expect(checkMail({ ...knowing(), domains })).toMatchObject([
    { level, text: expect.stringContaining(text) },
  ])
})

test('a key that may only send is known by the test mail', () => {
  const facts = { ...knowing(), domains: { kind: 'sending_only' as const } }
  expect(checkMail(facts)[0]?.advice).toContain('--mail-to')
  const testMail = { kind: 'answered', value: null } as const
  expect(told({ ...facts, testMail })).toMatchObject([['ok', expect.stringContaining('test mail')]])
})

test.each<[NonNullable<Asked['testMail']>, string]>([
  [{ kind: 'answered', value: null }, 'ok'],
  [{ kind: 'refused', status: 403 }, 'failed'],
  [{ kind: 'unreachable', reason: 'no connection' }, 'failed'],
])('a test mail that was %j is %s, beside the domain', (testMail, level) => {
  expect(checkMail({ ...knowing(verified), testMail })).toMatchObject([{ level: 'ok' }, { level }])
})
