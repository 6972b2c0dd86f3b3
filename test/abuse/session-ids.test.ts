import { describe, expect, test } from 'bun:test'
import { SECOND_MS } from '../../domain/duration.ts'
import { customerSetup } from '../support/service/real-customer.ts'

const READ = 'GET /v1/checkout/sessions/:id'
const openShop = customerSetup()

async function openVisits() {
  const customer = (await openShop())()
  const { service, double, clock } = customer
  const show = (sessionId: string) => service.get(`/payment/success?session_id=${sessionId}`)
  return { ...customer, service, double, clock, show, asked: () => double.count(READ) }
}

describe('session ids that somebody made up', () => {
  test('ask Stripe five times a second at most, and get a page that refreshes itself', async () => {
    const { show, asked, clock } = await openVisits()
    const statuses: number[] = []
    for (let number = 0; number < 1503; number++) {
      const page = await show(`cs_test_made_up_${number}`)
      statuses.push(page.status)
      if (page.status === 404) continue
      expect(page.status).toBe(503)
      expect(page.header('retry-after')).toBe('60')
      expect(page.text).toContain('data-state="unavailable"')
      expect(page.text).toMatch(/<script type="module" src="\/assets\/payment\.js/)
      expect(page.text).toContain('<noscript><meta http-equiv="refresh" content="120"></noscript>')
    }
    expect(asked()).toBe(5)
    expect(statuses.slice(0, 5)).toEqual([404, 404, 404, 404, 404])

    clock.advance(SECOND_MS - 1)
    expect((await show('cs_test_too_early')).status).toBe(503)
    clock.advance(1)
    expect((await show('cs_test_in_time')).status).toBe(404)
    expect(asked()).toBe(6)
  })

  test('never ask more than five times in any second, whatever the moments', async () => {
    const { show, asked, clock } = await openVisits()
    const askedAt: number[] = []
    for (let number = 0; number < 100; number++) {
      clock.advance((number * 37) % 250)
      const before = asked()
      await show(`cs_test_made_up_${number}`)
      if (asked() > before) askedAt.push(clock.now().getTime())
    }
    expect(askedAt.length).toBeGreaterThan(20)
    for (const [index, at] of askedAt.entries()) {
      expect((askedAt[index + 5] ?? Infinity) - at).toBeGreaterThanOrEqual(SECOND_MS)
    }
  })

  test('ask Stripe about one id once a minute', async () => {
    const { show, asked, clock } = await openVisits()
    expect((await show('cs_test_made_up')).status).toBe(404)
    for (let second = 0; second < 59; second++) {
      clock.advance(SECOND_MS)
      expect((await show('cs_test_made_up')).status).toBe(503)
    }
    expect(asked()).toBe(1)
    clock.advance(SECOND_MS)
    expect((await show('cs_test_made_up')).status).toBe(404)
    expect(asked()).toBe(2)
  })

  test('do not slow down the pages of buyers', async () => {
    const { show, asked, openPage, double, service, email } = await openVisits()
    const sessionId = await openPage()
    for (let number = 0; number < 20; number++) await show(`cs_test_made_up_${number}`)
    const before = asked()
    for (let visit = 0; visit < 10; visit++) {
      expect(await show(sessionId)).toMatchObject({ status: 200 })
    }
    expect(asked()).toBe(before + 10)
    double.pay(sessionId)
    expect((await show(sessionId)).text).toContain('data-state="active"')
    expect(await service.hasPremium(email)).toBe(true)
  })

  test('only put off a buyer whose purchase was lost', async () => {
    const customer = await openVisits()
    const { double, clock } = customer
    const sessionId = await customer.openPage()
    double.pay(sessionId)
    customer.service.connection!.run('DELETE FROM purchases')
    for (let number = 0; number < 20; number++) await customer.show(`cs_test_made_up_${number}`)
    expect((await customer.show(sessionId)).status).toBe(503)
    clock.advance(SECOND_MS)
    const page = await customer.show(sessionId)
    expect(page.status).toBe(200)
    expect(page.text).toContain('data-state="active"')
  })
})
