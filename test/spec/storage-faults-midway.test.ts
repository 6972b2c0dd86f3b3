import { afterAll, describe, expect, onTestFinished, test } from 'bun:test'
import { deliverOutbox } from '../../application/payments/deliver-outbox.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { resendMailer } from '../../infrastructure/mail/resend-mailer.ts'
import { answers } from '../support/http/http-client.ts'
import { startMailbox } from '../support/mailbox.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { customerSetup, type Process } from '../support/service/real-customer.ts'
import { DATABASE_FAULTS } from '../support/stores/database-faults.ts'
import { PUBLIC_URL } from '../support/stripe/payment-gateways.ts'

const BUSY_TIMEOUT_MS = 30
const COME_AGAIN = answers(503, 'Temporarily unavailable')
const CREATE = 'POST /v1/checkout/sessions'
const REFUND = 'POST /v1/refunds'
const RUNNING = new AbortController().signal

const openShop = customerSetup()

let combinations = 0
afterAll(() => console.log(`storage faults at the worst moment: ${combinations}, nothing twice`))

/** Where the database fails a whole round, the next round is not tried either. */
function expectOutage(error: unknown): void {
  expect(error).toMatchObject({ name: 'Unavailable', outage: 'storage' })
}

describe.each(DATABASE_FAULTS)('when the database %s at the worst moment', (_, breakDatabase) => {
  test('the page that Stripe has made by then is the one that the next checkout shows', async () => {
    const customer = (await openShop({ busyTimeoutMs: BUSY_TIMEOUT_MS }))()
    const { service, double, verify, checkOut, email, pages } = customer
    await verify()
    const release = double.hold(CREATE)
    const checkout = checkOut()
    await double.seen(1)
    const mend = customer.fails(breakDatabase)
    const before = await service.contents()
    release()

    expect(await checkout).toMatchObject(COME_AGAIN)
    expect(await service.contents()).toEqual(before)
    expect(before['purchases']).toMatchObject([{ state: 'open', session_id: null }])

    const process = mend()
    const answer = await process.post('/checkout', { email })
    const [sessionId] = double.sessions.keys()
    expect(answer).toMatchObject({ status: 200, body: { sessionId } })
    expect(pages()).toEqual(['open'])
    expect((await service.contents())['purchases']).toMatchObject([
      { state: 'open', session_id: sessionId },
    ])
    combinations++
  })

  test('the mail that Resend has taken by then is not sent again', async () => {
    const customer = (await openShop({ busyTimeoutMs: BUSY_TIMEOUT_MS }))()
    const { service, clock } = customer
    const mailbox = startMailbox({ clock })
    onTestFinished(mailbox.stop)
    const mailer = resendMailer({
      apiKey: 're_0123456789',
      baseUrl: mailbox.url,
      from: 'Alibi <no-reply@example.com>',
      content: builtInContent(),
      publicUrl: PUBLIC_URL,
      timeoutMs: PATIENCE_MS,
    })
    const round = ({ ports }: Process) => deliverOutbox({ ...ports, mailer }, RUNNING)
    await customer.pay()
    const { arrived, release } = mailbox.hold()
    const first = round(service)
    await arrived
    const mend = customer.fails(breakDatabase)
    release()
    await first.catch(expectOutage)
    expect(customer.outages('storage')).toHaveLength(1)
    expect((await service.contents())['outbox']).toMatchObject([{ state: 'waiting', attempts: 1 }])

    const process = mend()
    for (let rounds = 0; rounds < 3; rounds++) {
      clock.advance(MINUTE_MS)
      await round(process)
    }
    expect((await service.contents())['outbox']).toMatchObject([{ state: 'done', attempts: 2 }])
    expect(mailbox.mails).toHaveLength(2)
    expect(mailbox.delivered).toHaveLength(1)
    combinations++
  })

  test('the money that Stripe has sent back by then is not sent again', async () => {
    const customer = (await openShop({ busyTimeoutMs: BUSY_TIMEOUT_MS }))()
    const { service, double, clock } = customer
    await customer.payTwice()
    const release = double.hold(REFUND)
    const known = double.count()
    const first = service.deliverOutbox()
    // Before that it asks what has been refunded and disputed of either payment.
    await double.seen(known + 5)
    expect(double.count(REFUND)).toBe(1)
    const mend = customer.fails(breakDatabase)
    release()
    await first.catch(expectOutage)
    expect(customer.outages('storage')).toHaveLength(1)
    expect((await service.contents())['refunds']).toEqual([])

    const process = mend()
    for (let rounds = 0; rounds < 3; rounds++) {
      clock.advance(MINUTE_MS)
      await service.deliverOutbox(process)
    }
    const asked = double.requests.filter(({ route }) => route === REFUND)
    expect(asked).toHaveLength(2)
    expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(double.refunds.size).toBe(1)
    expect((await service.contents())['refunds']).toHaveLength(1)
    combinations++
  })
})
