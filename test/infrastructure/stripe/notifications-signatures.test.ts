import { describe, expect, test } from 'bun:test'
import { eventTranslation } from '../../../infrastructure/stripe/events.ts'
import { stripeNotifications } from '../../../infrastructure/stripe/notifications.ts'
import { sessionReports } from '../../../infrastructure/stripe/session-reports.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'
import { PUBLIC_URL, SEALS } from '../../support/stripe/payment-gateways.ts'
import {
  type StripeEvent,
  signedDelivery,
  stripeEvent,
  stripeSignature,
} from '../../support/stripe/stripe-events.ts'

const SECRET = 'whsec_first'
const OTHER_SECRET = 'whsec_second'
const REFUSAL = { name: 'DomainError', refusal: 'invalid_signature' }

function reader({ webhookSecrets = [SECRET] } = {}) {
  const clock = fixedClock()
  const reportSession = sessionReports({ returnUrls: returnUrls(PUBLIC_URL), seals: SEALS })
  const translate = eventTranslation({ live: false, reportSession })
  return {
    clock,
    read: stripeNotifications({ live: false, webhookSecrets, translate, clock }).verifyEvent,
  }
}

describe('a signature', () => {
  const event: StripeEvent = stripeEvent('checkout.session.completed.paid')

  async function delivered(secret = SECRET, at = NOON) {
    return signedDelivery(event, { secret, at })
  }

  test('counts with any of the secrets, so that one can be rolled', async () => {
    const { read } = reader({ webhookSecrets: [SECRET, OTHER_SECRET] })
    expect(await read(await delivered(SECRET))).toMatchObject({ kind: 'session' })
    expect(await read(await delivered(OTHER_SECRET))).toMatchObject({ kind: 'session' })
    await expect(read(await delivered('whsec_third'))).rejects.toMatchObject(REFUSAL)
  })

  test('made with several secrets counts when one of them is ours', async () => {
    const { payload, signature } = await delivered(OTHER_SECRET)
    const ours = (await delivered(SECRET)).signature.split(',')[1]
    const both = `${signature},${ours}`
    expect(await reader().read({ payload, signature: both })).toMatchObject({ kind: 'session' })
  })

  test('never counts without a secret', async () => {
    const { read } = reader({ webhookSecrets: [] })
    await expect(read(await delivered())).rejects.toMatchObject(REFUSAL)
  })

  test('is good for five minutes by our own clock', async () => {
    const { read, clock } = reader()
    const delivery = await delivered()
    clock.advance(300_000)
    expect(await read(delivery)).toMatchObject({ kind: 'session' })
    clock.advance(1000)
    await expect(read(delivery)).rejects.toMatchObject(REFUSAL)
  })

  test.each([
    null,
    '',
    'garbage',
    ',,,',
    'v1',
    't=1',
    't=1,v1',
    't=1,v1=',
    't=,v1=',
    't=abc,v1=00',
    `t=${NOON.getTime() / 1000},v0=00`,
    `t=${NOON.getTime() / 1000},v1=${'0'.repeat(64)}`,
    `t=${NOON.getTime() / 1000},v1=é`,
    'v1=00,'.repeat(2000),
  ])('that reads %p is refused', async (signature) => {
    const { payload } = await delivered()
    await expect(reader().read({ payload, signature })).rejects.toMatchObject(REFUSAL)
  })

  test('counts among 32 entries, and is read no further', async () => {
    const { payload, signature } = await delivered()
    const other = `v1=${'0'.repeat(64)}`
    const among = (others: number) => {
      const [time, own] = signature.split(',')
      return { payload, signature: [time, ...Array(others).fill(other), own].join(',') }
    }
    expect(await reader().read(among(30))).toMatchObject({ kind: 'session' })
    await expect(reader().read(among(31))).rejects.toMatchObject(REFUSAL)
  })

  test('does not count for a time that was altered', async () => {
    const { payload, signature } = await delivered()
    const later = signature.replace(/t=\d+/, `t=${NOON.getTime() / 1000 + 60}`)
    await expect(reader().read({ payload, signature: later })).rejects.toMatchObject(REFUSAL)
  })

  test('does not count for the same event in other bytes', async () => {
    const { payload, signature } = await delivered()
    const text = new TextDecoder().decode(payload)
    const others = [`${text}\n`, ` ${text}`, `\ufeff${text}`, text.replace('400', '401'), '']
    for (const other of [JSON.stringify(event), ...others]) {
      const altered = { payload: new TextEncoder().encode(other), signature }
      await expect(reader().read(altered)).rejects.toMatchObject(REFUSAL)
    }
  })

  test('does not count for bytes that only a careless reading makes the same', async () => {
    const text = JSON.stringify({ ...event, note: '\ufffd' })
    const signature = await stripeSignature(text, SECRET, NOON)
    const bytes = Buffer.from(text)
    const replaced = bytes.indexOf(Buffer.from('\ufffd'))
    const altered = Buffer.concat([
      bytes.subarray(0, replaced),
      Buffer.from([0xff]),
      bytes.subarray(replaced + 3),
    ])
    expect(await reader().read({ payload: bytes, signature })).toMatchObject({ kind: 'session' })
    await expect(reader().read({ payload: altered, signature })).rejects.toMatchObject(REFUSAL)
  })
})

describe('what is signed but is no event', () => {
  const event = stripeEvent('checkout.session.completed.paid')

  test.each([
    ['text', 'hello'],
    ['null', null],
    ['a list', [event]],
    ['an empty object', {}],
    ['another object', { ...event, object: 'checkout.session' }],
    ['an event without an id', { ...event, id: undefined }],
    ['an event without a type', { ...event, type: undefined }],
    ['an event without data', { ...event, data: undefined }],
    ['an event without an object in it', { ...event, data: { object: null } }],
    ['an event with an object without an id', { ...event, data: { object: {} } }],
    ['a thin event without an id', { object: 'v2.core.event', type: 'v1.charge.refunded' }],
  ])('%s is nothing', async (_, value) => {
    const delivery = await signedDelivery(value, { secret: SECRET, at: NOON })
    expect(await reader().read(delivery)).toMatchObject({ kind: 'other' })
  })

  test('a thin event is told from all others', async () => {
    const value = {
      id: 'evt_test_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0',
      object: 'v2.core.event',
      type: 'v1.checkout.session.completed',
      livemode: false,
      created: '2026-11-27T12:00:00.000Z',
      context: null,
      reason: null,
      related_object: {
        id: 'cs_test_a1',
        type: 'checkout.session',
        url: '/v1/checkout/sessions/cs_test_a1',
      },
    }
    const delivery = await signedDelivery(value, { secret: SECRET, at: NOON })
    expect(await reader().read(delivery)).toEqual({
      eventId: value.id,
      eventType: value.type,
      occurredAt: null,
      kind: 'other',
      isThin: true,
    })
  })

  test('what is no JSON is nothing', async () => {
    const payload = '{"id":'
    const signature = await stripeSignature(payload, SECRET, NOON)
    const delivery = { payload: Buffer.from(payload), signature }
    expect(await reader().read(delivery)).toMatchObject({ kind: 'other' })
  })
})
