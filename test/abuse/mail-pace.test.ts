import { describe, expect, onTestFinished, test } from 'bun:test'
import { Unavailable } from '../../application/unavailable.ts'
import type { Email } from '../../domain/email.ts'
import type { OtpCode } from '../../domain/otp.ts'
import type { OutboxKey } from '../../domain/outbox.ts'
import { openHttp } from '../support/http/http-client.ts'
import { refusal } from '../support/mailbox.ts'
import { openPacedProvider } from '../support/paced-provider.ts'
import { atOnce, countStatuses, openService } from '../support/service/real-service.ts'

const SECOND_MS = 1000
const TIMEOUT_MS = 10 * SECOND_MS

function openProvider(options: Parameters<typeof openPacedProvider>[0]) {
  const provider = openPacedProvider(options)
  onTestFinished(provider.mailbox.stop)
  const ends = new Map<string, { atMs: number; error: unknown }>()

  /** Hands a code for the address to the mailer, and notes how and when that ends. */
  function ask(to: string, isCustomer: boolean): void {
    const end = (error: unknown) => ends.set(to, { atMs: provider.timers.monotonicMs(), error })
    const mail = { code: '123456' as OtpCode, language: 'en', validForMs: 600_000 } as const
    provider.mailer.sendOtp({ ...mail, to: to as Email, isCustomer }).then(() => end(null), end)
  }
  const delivered = () => provider.mailbox.delivered.map(({ to }) => to)
  return { ...provider, ask, ends, delivered }
}

const names = (who: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${who}${index + 1}@example.com`)

describe('forty people who ask for a code in the same second', () => {
  test('all get it within ten seconds at five a second, and the customers first', async () => {
    const { ask, delivered, ends, pass, settle, countRefused } = openProvider({ perSecond: 5 })
    const customers = names('customer', 15)
    const strangers = names('stranger', 25)
    for (const to of strangers) ask(to, false)
    for (const to of customers) ask(to, true)
    await settle()
    await pass(TIMEOUT_MS)

    // Five were on their way before the first customer came.
    expect(delivered()).toEqual([...strangers.slice(0, 5), ...customers, ...strangers.slice(5)])
    expect([...ends.values()].filter(({ error }) => error !== null)).toEqual([])
    expect(ends.size).toBe(40)
    // Whoever goes as fast as was announced is never refused.
    expect(countRefused()).toBe(0)
  })

  test('each get one mail where the provider takes fewer than any that is known', async () => {
    const { ask, delivered, ends, pass, settle, countRefused } = openProvider({ perSecond: 2 })
    const asked = names('customer', 12)
    for (const to of asked) ask(to, true)
    await settle()
    await pass(TIMEOUT_MS)

    expect(delivered().toSorted()).toEqual(asked.toSorted())
    expect([...ends.values()].every(({ error }) => error === null)).toBe(true)
    expect(countRefused()).toBe(3)
  })

  test('each get one mail where the provider refuses without a word about its pace', async () => {
    const { ask, delivered, ends, pass, settle } = openProvider({ perSecond: 5, silent: true })
    const asked = names('customer', 20)
    for (const to of asked) ask(to, true)
    await settle()
    await pass(TIMEOUT_MS)
    expect(delivered().toSorted()).toEqual(asked.toSorted())
    expect([...ends.values()].every(({ error }) => error === null)).toBe(true)
  })

  test('are served by the service itself, whose customers get their codes before strangers', async () => {
    const { mailer, mailbox, untilAsked, pass, delivered } = openProvider({ perSecond: 5 })
    const service = openService()
    const { post, givePremium } = openHttp(
      { limiters: { general: null, auth: null, premium: null } },
      { ...service.ports, mailer: Object.assign(service.ports.mailer, mailer) },
    )
    const customers = names('customer', 10)
    const people = [...names('stranger', 30), ...customers]
    for (const email of customers) await givePremium(email)
    const answers = atOnce(40, (index) => post('/auth/verify-email', { email: people[index] }))
    await untilAsked(40)
    await pass(TIMEOUT_MS)

    expect(countStatuses(await answers)).toEqual({ 200: 40 })
    expect(mailbox.delivered).toHaveLength(40)
    expect(new Set(delivered().slice(5, 15))).toEqual(new Set(customers))
  })
})

describe('more people than the provider can serve in time', () => {
  test('are told so within ten seconds, and only strangers among them', async () => {
    const { ask, delivered, ends, pass, settle } = openProvider({ perSecond: 5 })
    for (const to of names('stranger', 90)) ask(to, false)
    for (const to of names('customer', 30)) ask(to, true)
    await settle()
    await pass(TIMEOUT_MS)

    expect(ends.size).toBe(120)
    const refused = [...ends].filter(([, { error }]) => error !== null)
    expect(refused.filter(([to]) => to.startsWith('customer'))).toEqual([])
    // Nine seconds in which a try may begin, at five a second, and the first five.
    expect(delivered()).toHaveLength(45)
    expect(refused).toHaveLength(75)
    for (const [, { atMs, error }] of refused) {
      expect(atMs).toBeLessThanOrEqual(TIMEOUT_MS)
      expect(error).toMatchObject({ name: 'Unavailable', outage: 'email', answered: true })
    }
  })

  test('are 503 as in any other outage, and a mail that was not sent is not counted', async () => {
    const { mailer, untilAsked, pass } = openProvider({ perSecond: 1 })
    const service = openService()
    const { post } = openHttp(
      { limiters: { general: null, auth: null, premium: null } },
      { ...service.ports, mailer: Object.assign(service.ports.mailer, mailer) },
    )
    const email = 'stranger1@example.com'
    const others = atOnce(40, (index) =>
      post('/auth/verify-email', { email: `other${index}@example.com` }),
    )
    await untilAsked(40)
    for (let time = 1; time <= 2; time++) {
      const answer = post('/auth/verify-email', { email })
      await untilAsked(40 + time)
      await pass(TIMEOUT_MS)
      if (time === 1) {
        expect(await answer).toMatchObject({
          status: 503,
          body: { error: 'Email delivery unavailable' },
        })
      } else expect((await answer).status).toBe(200)
    }
    expect(Object.keys(countStatuses(await others)).toSorted()).toEqual(['200', '503'])
  })

  test('take no more than five hundred places in a line, and none of the customers', async () => {
    const { ask, ends, settle } = openProvider({ perSecond: 5 })
    for (const to of names('stranger', 506)) ask(to, false)
    await settle()
    const refused = [...ends].filter(([, { error }]) => error !== null)
    expect(refused.map(([to]) => to)).toEqual(['stranger506@example.com'])
    ask('customer1@example.com', true)
    await settle()
    expect(ends.has('customer1@example.com')).toBe(false)
  })
})

test('one mail that the provider puts off keeps nobody else waiting', async () => {
  const { ask, ends, delivered, mailbox, pass, settle } = openProvider({ perSecond: 20 })
  mailbox.judge(({ to }) =>
    to.startsWith('customer') ? refusal(429, 'rate_limit_exceeded') : null,
  )
  ask('customer1@example.com', true)
  const strangers = names('stranger', 8)
  for (const to of strangers) ask(to, false)
  await settle()
  expect(delivered().toSorted()).toEqual(strangers)
  await pass(TIMEOUT_MS)
  expect(ends.get('customer1@example.com')?.error).toMatchObject({ outage: 'email' })
})

test('a payment notice goes before strangers, under the same key at every try', async () => {
  const { ask, mailer, mailbox, delivered, pass, settle } = openProvider({ perSecond: 1 })
  for (const to of names('stranger', 8)) ask(to, false)
  const notice = mailer.sendPaymentNotice({
    kind: 'payment_confirmed',
    key: 'payment_confirmed:pur_1' as OutboxKey,
    to: 'buyer@example.com' as Email,
    language: 'en',
    amount: { amount: 400, currency: 'eur' },
  })
  await settle()
  await pass(TIMEOUT_MS)
  await notice

  expect(delivered()[1]).toBe('buyer@example.com')
  const keys = mailbox.mails.filter(({ to }) => to === 'buyer@example.com').map(({ key }) => key)
  expect(new Set(keys)).toEqual(new Set(['payment_confirmed:pur_1']))
  expect(mailbox.delivered.filter(({ to }) => to === 'buyer@example.com')).toHaveLength(1)
})

test.each(['daily_quota_exceeded', 'monthly_quota_exceeded'])(
  'a 429 that is the %s is not waited for, and holds nobody else back',
  async (name) => {
    const { ask, ends, mailbox, settle } = openProvider({ perSecond: 5 })
    const body = { statusCode: 429, name, message: 'You have reached your quota.' }
    mailbox.refuse(() => Response.json(body, { status: 429 }))
    ask('anna@example.com', true)
    await settle()
    const error = ends.get('anna@example.com')?.error
    expect(error).toBeInstanceOf(Unavailable)
    expect(error).toMatchObject({ outage: 'email', answered: true })
    ask('ben@example.com', true)
    await settle()
    expect(ends.get('ben@example.com')).toEqual({ atMs: 0, error: null })
  },
)
