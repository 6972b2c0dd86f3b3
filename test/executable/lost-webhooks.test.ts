import { expect, test } from 'bun:test'
import { checkEnds } from '../support/executable/ends.ts'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
} from '../support/executable/production.ts'
import { carriedOut, stored, swept } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import { SERVER_ERROR } from '../support/stripe-double/faults.ts'

type Story = {
  readonly name: string
  readonly hasPremium: boolean
  /** While the service runs. */
  before?(production: Production, sessionId: string): Promise<void> | void
  /** While it is down. */
  meanwhile?(production: Production, sessionId: string): void
}

/** Brings the events that there are, as on a good day. */
async function payLateAndTell(production: Production, sessionId: string): Promise<void> {
  production.double.payLate(sessionId)
  await deliverAll(production)
}

// Whoever hears of something by an event comes first: all events that are held at that moment are brought.
const STORIES: readonly Story[] = [
  {
    name: 'a debit that arrives while the service is down',
    hasPremium: true,
    before: payLateAndTell,
    meanwhile: ({ double }, id) => void double.lateSucceed(id),
  },
  {
    name: 'a debit that bounces while the service is down',
    hasPremium: false,
    before: payLateAndTell,
    meanwhile: ({ double }, id) => void double.lateFail(id),
  },
  {
    name: 'a debit that is still on its way',
    hasPremium: false,
    before: payLateAndTell,
  },
  {
    name: 'a debit of which nothing was ever told',
    hasPremium: true,
    before: ({ double }, id) => void double.payLate(id),
    meanwhile: ({ double }, id) => void double.lateSucceed(id),
  },
  {
    name: 'a card while the service runs',
    hasPremium: true,
    before: ({ double }, id) => void double.pay(id),
  },
  {
    name: 'a card while the service is down',
    hasPremium: true,
    meanwhile: ({ double }, id) => void double.pay(id),
  },
  {
    name: 'a card that is declined',
    hasPremium: false,
    before: ({ double }, id) => void double.decline(id),
  },
  { name: 'nobody pays', hasPremium: false },
]
const TIMES = 4

const BUYERS = STORIES.flatMap((story, kind) =>
  Array.from({ length: TIMES }, (_, number) => ({ story, email: `${kind}-${number}@example.com` })),
)

/** What becomes of the events that no webhook has brought. */
const FATES: readonly [string, (production: Production) => void][] = [
  ['Stripe keeps events that nobody took', () => {}],
  ['Stripe has never made an event', ({ double }) => double.forgetEvents()],
]

test.concurrent.each(FATES)(
  '%s: whoever has paid has premium after the start run',
  async (fate, befall) => {
    await using production = await openProduction()
    const { mailbox } = production
    const first = await production.start()
    await swept(production)
    // The service asks by itself, too, every minute.
    for (const on of ['GET /v1/checkout/sessions', 'GET /v1/checkout/sessions/:id']) {
      production.double.fault(SERVER_ERROR, { on, times: Infinity })
    }
    const bought = []
    for (const { story, email } of BUYERS) {
      const { prove, checkOut } = buyer(first, production, email)
      await prove()
      const { sessionId } = await checkOut()
      await story.before?.(production, sessionId)
      bought.push({ story, sessionId })
    }
    const premium = new Map(BUYERS.map(({ story, email }) => [email, story.hasPremium]))
    for (const email of premium.keys()) {
      expect(await buyer(first, production, email).hasPremium()).toBe(false)
    }
    expect(await first.stop()).toBe(0)
    production.double.clearFaults()
    for (const { story, sessionId } of bought) story.meanwhile?.(production, sessionId)
    befall(production)

    const alibi = await production.start()
    const paying = [...premium].filter(([, hasPremium]) => hasPremium).map(([email]) => email)
    await until('everybody who has paid has premium', async () => {
      const answers = paying.map((email) => buyer(alibi, production, email).hasPremium())
      return (await Promise.all(answers)).every(Boolean)
    })
    await until('the bounced debits are known', () => countFailed(production) === TIMES)
    await carriedOut(production)

    const { wrong, payments, confirmed } = await checkEnds(production, alibi, premium)
    const failures = mailbox.delivered.filter(({ key }) => key?.startsWith('payment_failed:'))
    console.log(
      `all webhooks lost, ${fate}: ${BUYERS.length} buyers, ${payments} payments found by the start run, ` +
        `${confirmed} confirmed once, ${failures.length} told that theirs failed, ${wrong.length} wrong ends`,
    )
    expect(wrong).toEqual([])
    expect([payments, confirmed]).toEqual([paying.length, paying.length])
    const bounced = BUYERS.filter(({ story }) => story.name.includes('bounces'))
    expect(failures.map(({ to }) => to).toSorted()).toEqual(bounced.map(({ email }) => email))
  },
)

function countFailed(production: Production): number {
  return stored(production, "SELECT 1 FROM outbox WHERE kind = 'payment_failed'").length
}

test.concurrent('a webhook that comes after all, days late and twice, changes nothing that the start run has found', async () => {
  await using production = await openProduction()
  const { double, mailbox } = production
  const first = await production.start()
  await swept(production)
  const { prove, checkOut } = buyer(first, production, 'late@example.com')
  await prove()
  const events = double.pay((await checkOut()).sessionId)
  await first.stop()

  const alibi = await production.start()
  const { hasPremium } = buyer(alibi, production, 'late@example.com')
  await until('the start run has found the payment', hasPremium)
  for (const event of [...events, ...events]) expect(await double.deliver(event)).toBe(200)
  await carriedOut(production)

  const ends = await checkEnds(production, alibi, new Map([['late@example.com', true]]))
  expect(ends).toEqual({ wrong: [], payments: 1, confirmed: 1, refunded: 0 })
  expect(mailbox.delivered.filter(({ key }) => key !== null).length).toBe(1)
})
