import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../../application/unavailable.ts'
import { HOUR_MS } from '../../../../domain/duration.ts'
import { fakePorts } from '../../../support/fakes.ts'
import { answers, EMAIL, openHttp } from '../../../support/http/http-client.ts'

const UNAVAILABLE = answers(503, 'Temporarily unavailable')

async function openWithSession() {
  const http = openHttp()
  await http.post('/auth/confirm-email', { email: EMAIL, code: await http.mailCode() })
  await http.post('/checkout', { email: EMAIL })
  const [sessionId = ''] = [...http.ports.payments.sessions.keys()]
  return { ...http, sessionId }
}

const session = (report: unknown) => ({
  eventId: 'evt_1',
  eventType: 'checkout.session.completed',
  kind: 'session',
  report,
})
const SIGNED = { 'stripe-signature': 'valid' }

describe.each(['/webhook/stripe', '/webhook/payment'])('POST %s', (path) => {
  test('activates premium, once and for all', async () => {
    const http = await openWithSession()
    const paid = session(http.ports.payments.move(http.sessionId, 'paid'))

    for (const _ of ['first', 'duplicate']) {
      const answer = await http.post(path, paid, SIGNED)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ received: true })
    }
    expect(await http.get(`/auth/check?email=${EMAIL}`)).toMatchObject({
      body: { hasPremium: true },
    })
  })

  test.each([undefined, '', 'wrong'])(
    'refuses the signature %p and stores nothing',
    async (signature) => {
      const http = await openWithSession()
      const paid = session(http.ports.payments.move(http.sessionId, 'paid'))
      const headers: Record<string, string> =
        signature === undefined ? {} : { 'stripe-signature': signature }

      expect(await http.post(path, paid, headers)).toMatchObject(answers(400, 'Invalid signature'))
      expect(await http.get(`/auth/check?email=${EMAIL}`)).toMatchObject({
        body: { hasPremium: false },
      })
    },
  )

  test.each([
    { eventId: 'evt_1', eventType: 'price.updated', kind: 'other' },
    session({ sessionId: 'cs_foreign', purchaseId: null, outcome: 'paid' }),
  ])('accepts what is not for us: %j', async (notification) => {
    const answer = await openHttp().post(path, notification, SIGNED)
    expect(answer).toMatchObject({ status: 200, body: { received: true } })
  })

  test('warns once a day of an endpoint that sends thin events', async () => {
    const http = openHttp()
    const thin = {
      eventId: 'evt_1',
      eventType: 'v1.checkout.session.completed',
      kind: 'other',
      isThin: true,
    }
    const warnings = () => http.ports.log.lines.filter(({ event }) => event === 'webhook.thin')
    for (let hour = 0; hour < 24; hour++) {
      expect(await http.post(path, thin, SIGNED)).toMatchObject({ status: 200 })
      http.ports.clock.advance(HOUR_MS)
    }
    expect(warnings()).toMatchObject([{ level: 'warn' }])
    await http.post(path, thin, SIGNED)
    expect(warnings()).toHaveLength(2)
  })

  test('hands the very bytes on, of any content type', async () => {
    let received = new Uint8Array()
    const ports = fakePorts()
    const http = openHttp({}, ports)
    ports.notifications.verifyEvent = async ({ payload }) => {
      received = new Uint8Array(payload)
      return { eventId: 'evt_1', eventType: 'price.updated', kind: 'other' }
    }
    const body = new Uint8Array([0xef, 0xbb, 0xbf, 0x00, 0xff, 0x7b])
    await http.send('POST', path, { body, headers: { ...SIGNED, 'content-type': 'text/plain' } })
    expect([...received]).toEqual([...body])
  })

  test('asks the provider to send again when it cannot be read', async () => {
    const http = openHttp()
    http.ports.payments.outage = true
    const hint = {
      eventId: 'evt_1',
      eventType: 'charge.refunded',
      kind: 'refund_hint',
      paymentIntentId: 'pi_1',
    }
    const answer = await http.post(path, hint, SIGNED)
    expect(answer).toMatchObject(UNAVAILABLE)
    expect(Number(answer.header('retry-after'))).toBeGreaterThan(0)
  })

  test('asks the provider to send again when the effect could not be stored', async () => {
    const ports = fakePorts({
      refunds: {
        ...fakePorts().refunds,
        update: async () => {
          throw new Unavailable('storage', { cause: new Error('disk full') })
        },
      },
    })
    const refund = { id: 're_1', paymentIntentId: 'pi_1', amount: 400, state: 'succeeded' }
    const notification = { eventId: 'evt_1', eventType: 'refund.created', kind: 'refund', refund }
    const answer = await openHttp({}, ports).post(path, notification, SIGNED)
    expect(answer).toMatchObject(UNAVAILABLE)
    expect(Number(answer.header('retry-after'))).toBeGreaterThan(0)
  })

  test('takes a body of 1 MiB and none that is larger', async () => {
    const http = openHttp()
    const padded = (bytes: number) => {
      const notification = JSON.stringify({ kind: 'other', eventId: 'evt_1', eventType: 'x' })
      return notification.padEnd(bytes)
    }
    const send = (body: string) => http.send('POST', path, { headers: SIGNED, body })
    expect(await send(padded(1024 * 1024))).toMatchObject({ status: 200 })
    expect(await send(padded(1024 * 1024 + 1))).toMatchObject(answers(413, 'Request too large'))
  })
})
