import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stripeWebhookEndpoints } from '../../../infrastructure/stripe/webhook-endpoints.ts'
import { PATIENCE_MS } from '../patience.ts'
import { FORBIDDEN } from './faults.ts'
import { type StripeDouble, startStripeDouble } from './stripe-double.ts'

let double: StripeDouble
beforeAll(async () => {
  double = await startStripeDouble({ webhookSecret: 'whsec_unused' })
})
afterAll(() => double.stop())

const endpoints = () =>
  stripeWebhookEndpoints({
    secretKey: double.secretKey,
    apiUrl: double.url,
    timeoutMs: PATIENCE_MS,
  })
const wanted = {
  url: 'https://alibi.example/webhook/stripe',
  events: ['refund.created'],
  apiVersion: '2026-01-28.clover',
  mark: 'pending',
}

describe('webhook endpoints', () => {
  test('tell their signing secret when they are made, and never again', async () => {
    const made = await endpoints().create(wanted)
    if (made.kind !== 'answered') throw new Error('not made')
    expect(made.value.secret).toMatch(/^whsec_/)
    const listed = await endpoints().list()
    expect(JSON.stringify(listed)).not.toContain(made.value.secret)
    expect(listed).toMatchObject({
      value: [
        { id: made.value.id, isEnabled: true, mark: 'pending', apiVersion: wanted.apiVersion },
      ],
    })

    const events = ['refund.created', 'refund.failed']
    expect(await endpoints().mend(made.value.id, { events })).toMatchObject({ kind: 'answered' })
    expect(await endpoints().mark(made.value.id, 'stored')).toMatchObject({ kind: 'answered' })
    expect(await endpoints().list()).toMatchObject({ value: [{ events, mark: 'stored' }] })

    for (const _ of ['there', 'gone already']) {
      expect(await endpoints().remove(made.value.id)).toMatchObject({ kind: 'answered' })
    }
    expect(await endpoints().list()).toMatchObject({ value: [] })
  })

  test('are not made by a key that may not', async () => {
    double.fault(FORBIDDEN, { on: 'POST /v1/webhook_endpoints' })
    expect(await endpoints().create(wanted)).toEqual({ kind: 'refused', status: 403 })
    expect(await endpoints().mend('we_unknown', wanted)).toMatchObject({ kind: 'unreachable' })
  })
})
