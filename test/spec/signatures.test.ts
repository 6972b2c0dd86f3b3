import { describe, expect, test } from 'bun:test'
import { answers, EMAIL, PEER } from '../support/http/http-client.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { buyerSetup } from '../support/service/real-buyer.ts'
import { openService } from '../support/service/real-service.ts'
import {
  FORGERIES,
  type Genuine,
  hmac,
  randomHex,
  type Sent,
  signed,
  TOLERANCE_S,
  utf8,
} from '../support/stripe/forgeries.ts'
import { stripeEvent } from '../support/stripe/stripe-events.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'

const TIMES = 100
const PAID = 'checkout.session.completed.paid'
/** Every one of them would change what is stored. */
const EVENTS = [
  PAID,
  'checkout.session.completed.unpaid',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'refund.created.succeeded',
  'refund.created.pending',
  'charge.dispute.created.chargeback',
  'charge.dispute.created.inquiry',
]

const openBuyer = buyerSetup()
const startStripe = stripeSetup()

/**
 * A buyer with the payment page open, and a Stripe whose events an attacker tries to forge without the webhook secret.
 */
async function openTarget(random: ReturnType<typeof seededRandom>) {
  const buyer = await openBuyer()
  const { service } = buyer
  const nowSeconds = () => Math.floor(service.clock.now().getTime() / 1000)

  async function send({ body, header }: Sent, path = '/webhook/stripe') {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (header !== null) headers['stripe-signature'] = header
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
    const response = await service.handler(request, () => PEER)
    return {
      status: response.status,
      text: await response.text(),
      headers: JSON.stringify([...response.headers]),
    }
  }

  return {
    ...buyer,
    send,
    nowSeconds,
    newGenuine(name = random.pick(EVENTS)): Genuine {
      const event = buyer.eventOf(
        name,
        { payment_intent: `pi_${randomHex(random, 24)}` },
        { id: `evt_${randomHex(random, 24)}` },
      )
      const text = JSON.stringify(event, null, 2)
      const now = nowSeconds()
      const t = now - random.below(TOLERANCE_S + 1)
      return { text, t, now, v1: hmac(`${t}.${text}`) }
    },
    /** Whether it would be believed; nothing comes of it. */
    async isBelieved({ body, header }: Sent): Promise<boolean> {
      const payload = typeof body === 'string' ? utf8(body) : body
      const read = service.ports.notifications.verifyEvent({ payload, signature: header })
      return read.then(
        ({ kind }) => kind !== 'other',
        () => false,
      )
    },
  }
}

const REFUSED = { status: 400, text: '{"error":"Invalid signature"}' }

describe('a delivery', () => {
  test(`with ${FORGERIES.length} kinds of forged, altered or stale signatures is refused, and leaves no trace`, async () => {
    const random = seededRandom(2026)
    const { service, send, newGenuine, isBelieved } = await openTarget(random)
    const before = await service.contents()
    let refused = 0
    for (const [kind, forge] of FORGERIES) {
      for (let time = 0; time < TIMES; time++) {
        const genuine = newGenuine()
        // What it was made from would have counted.
        expect(await isBelieved(signed(genuine.text, genuine.t))).toBe(true)
        const path = random.pick(['/webhook/stripe', '/webhook/payment'])
        const { status, text, headers } = await send(forge(genuine, random), path)
        expect({ kind, status, text }).toEqual({ kind, ...REFUSED })
        for (const part of [genuine.v1, String(genuine.t), JSON.parse(genuine.text).id]) {
          expect(headers).not.toContain(part)
        }
        refused++
      }
      expect(await service.contents()).toEqual(before)
    }
    expect(before['purchases']).toMatchObject([{ state: 'open' }])
    expect(new Set(service.ports.log.lines.slice(-refused).map(({ event }) => event))).toEqual(
      new Set(['http.requests_counted']),
    )
    expect(FORGERIES.length).toBeGreaterThanOrEqual(30)
    console.log(
      `forged signatures: ${FORGERIES.length} kinds x ${TIMES}, ${refused.toLocaleString('en')} refused`,
    )
  })

  test(`that was received is refused when it is replayed after five minutes, ${TIMES} times`, async () => {
    const random = seededRandom(300)
    const { service, send, nowSeconds } = await openTarget(random)
    const before = await service.contents()
    const text = JSON.stringify(stripeEvent('customer.created.unhandled'))
    for (let time = 0; time < TIMES; time++) {
      const delivery = signed(text, nowSeconds())
      expect(await send(delivery)).toMatchObject({ status: 200 })
      service.clock.advance(TOLERANCE_S * 1000)
      expect(await send(delivery)).toMatchObject({ status: 200 })
      service.clock.advance(1000 * (1 + random.below(100_000)))
      expect(await send(delivery)).toMatchObject(REFUSED)
    }
    expect(await service.contents()).toEqual(before)
    console.log(`replayed signatures: ${TIMES} refused after five minutes`)
  })

  test.each<[string, (genuine: Genuine) => Sent]>([
    ['right', ({ text, t }) => signed(text, t)],
    [
      'right behind its time and others',
      ({ text, t, v1 }) => ({
        body: text,
        header: `t=${t},v0=${hmac(text)},v1=${hmac('other')},v1=${v1},v1=${hmac('others')}`,
      }),
    ],
    ['right before its time', ({ text, t, v1 }) => ({ body: text, header: `v1=${v1},t=${t}` })],
    ['right and 300 seconds old', ({ text, now }) => signed(text, now - TOLERANCE_S)],
    // Only Stripe can sign the future, and whose clock is slow is not punished for it: no SDK of Stripe's refuses it.
    ['right, by a clock that is ahead of ours', ({ text, now }) => signed(text, now + 3600)],
    ['right for a body on one line', ({ text, t }) => signed(JSON.stringify(JSON.parse(text)), t)],
  ])('whose signature is %s is believed', async (_, make) => {
    const random = seededRandom(1)
    const { service, send, newGenuine, isBelieved, hasPremium } = await openTarget(random)
    const delivery = make(newGenuine(PAID))
    expect(await isBelieved(delivery)).toBe(true)
    expect(await send(delivery)).toMatchObject({ status: 200, text: '{"received":true}' })
    expect(await hasPremium()).toBe(true)
    expect((await service.contents())['audit_entries']).toHaveLength(1)
  })
})

describe('while a webhook secret is rolled, a delivery', () => {
  const OLD = 'whsec_old'
  const NEW = 'whsec_new'
  const STRANGE = 'whsec_strange'
  const CONFIGURED = [[OLD], [NEW], [OLD, NEW], [NEW, OLD]]
  const SIGNED_WITH = [
    [OLD],
    [NEW],
    [OLD, NEW],
    [NEW, OLD],
    [STRANGE],
    [STRANGE, OLD],
    [NEW, STRANGE],
    [],
  ]

  test('counts exactly when one of the secrets that are configured has signed it', async () => {
    const counts = { accepted: 0, refused: 0 }
    for (const webhookSecrets of CONFIGURED) {
      for (const signedWith of SIGNED_WITH) {
        const { double, clock } = await startStripe()
        const service = openService({ stripe: double, clock, webhookSecrets })
        await service.verify(EMAIL)
        const { body } = await service.post('/checkout', { email: EMAIL })
        const paid = double.pay((body as { sessionId: string }).sessionId).at(-1)
        const text = JSON.stringify(paid, null, 2)
        const t = Math.floor(clock.now().getTime() / 1000)
        const signatures = signedWith.map((secret) => `v1=${hmac(`${t}.${text}`, secret)}`)
        const header = [`t=${t}`, ...signatures].join()
        const before = await service.contents()

        const answer = await service.send('POST', '/webhook/stripe', {
          headers: { 'stripe-signature': header },
          body: text,
        })

        const isOurs = signedWith.some((secret) => webhookSecrets.includes(secret))
        const expected = isOurs
          ? { status: 200, body: { received: true } }
          : answers(400, 'Invalid signature')
        expect({ webhookSecrets, signedWith, ...answer }).toMatchObject(expected)
        expect(await service.hasPremium(EMAIL)).toBe(isOurs)
        if (!isOurs) expect(await service.contents()).toEqual(before)
        counts[isOurs ? 'accepted' : 'refused']++
      }
    }
    expect(counts.accepted).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(0)
    console.log(
      `secrets being rolled: ${CONFIGURED.length * SIGNED_WITH.length} combinations,`,
      `${counts.accepted} accepted, ${counts.refused} refused, 0 wrong`,
    )
  })
})
