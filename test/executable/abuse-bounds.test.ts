import { expect, test } from 'bun:test'
import { buyer, deliverAll, openProduction } from '../support/executable/production.ts'
import { client } from '../support/http/client.ts'

// That the executable has the bounds of which other tests show how they work.

test.concurrent('a made-up session id is asked of Stripe once in a minute', async () => {
  await using production = await openProduction()
  const { get } = client((await production.start()).url)
  const page = '/payment/success?session_id=cs_test_made_up'
  expect((await get(page)).status).toBe(404)
  for (let again = 0; again < 3; again++) expect((await get(page)).status).toBe(503)
  expect(production.double.count('GET /v1/checkout/sessions/:id')).toBe(1)
})

test.concurrent('a promotion code that leaves less than PREMIUM_MIN_AMOUNT waits for the operator', async () => {
  await using production = await openProduction()
  const env = { ...production.settings, ALLOW_PROMOTION_CODES: 'on', PREMIUM_MIN_AMOUNT: '200' }
  const alibi = await production.start({ env })
  for (const [discount, isEnough] of [
    [200, true],
    [201, false],
  ] as const) {
    const email = `with-${discount}-off@example.com`
    const { prove, checkOut, hasPremium } = buyer(alibi, production, email)
    await prove()
    const { sessionId } = await checkOut()
    production.double.pay(sessionId, { discount })
    await deliverAll(production)
    expect(await hasPremium()).toBe(isEnough)
  }
  const { stdout } = await production.run(['purchases', '--review', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ email: 'with-201-off@example.com' })
})
