import { describe, expect, test } from 'bun:test'
import { unlockEmail } from '../../application/access/unlock-email.ts'
import { eraseEmail } from '../../application/customers/erase-email.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import { answers } from '../support/http/http-client.ts'
import { openService } from '../support/service/real-service.ts'
import { printFigures } from '../support/stress/figures.ts'

// Somebody has the service mail codes to people who never asked for one, as many as it can send.

const REFUSED = answers(503, 'Email delivery unavailable')
const LIMITED = answers(429, 'Too many requests, please try again later')
/** The default of MAIL_LIMIT. */
const DEFAULT = { limit: 300, windowMs: HOUR_MS }

function openTarget(options: Parameters<typeof openService>[0] = { mailLimit: DEFAULT }) {
  const service = openService(options)
  return {
    ...service,
    mails: service.ports.mailer.mails,
    ask: (email: string, peer: string, path = '/auth/verify-email') =>
      service.post(path, { email }, {}, peer),
  }
}

/** A client of its own /64, all of one /48. */
const inOne48 = (number: number) => `2001:db8:7:${number.toString(16)}::1`
/** A client of an IPv4 /24 of its own. */
const inOwn24 = (number: number) => `10.${number >> 8}.${number & 255}.7`
const strangerNumber = (number: number) => `stranger${number}@example.org`

describe('mails to strangers', () => {
  test('that one /48 asks for, 3,000 of them, are 15, and nobody else is kept from theirs', async () => {
    const { ask, mails, givePremium, contents } = openTarget()
    await givePremium()
    for (let number = 0; number < 3000; number++) {
      const { status } = await ask(strangerNumber(number), inOne48(number))
      expect(status).toBe(number < 15 ? 200 : 503)
    }
    expect(mails).toHaveLength(15)
    expect(JSON.stringify(await contents())).not.toContain(strangerNumber(15))

    expect((await ask('newcomer@example.org', inOwn24(1))).status).toBe(200)
    expect((await ask('ada@example.com', inOne48(1))).status).toBe(503)
    expect((await ask('ada@example.com', inOwn24(1))).status).toBe(200)
  })

  test('that any number of networks ask for are half, and customers have the other half', async () => {
    const { ask, mails, givePremium, clock } = openTarget()
    for (let number = 0; number < 400; number++) await ask(strangerNumber(number), inOwn24(number))
    expect(mails).toHaveLength(150)
    const refused = await ask(strangerNumber(999), inOwn24(999))
    expect(refused).toMatchObject(REFUSED)
    expect(refused.header('retry-after')).toBe('3600')

    for (let number = 0; number < 150; number++) {
      const customer = `customer${number}@example.com`
      await givePremium(customer)
      expect((await ask(customer, inOwn24(number))).status).toBe(200)
    }
    expect((await ask('customer1@example.com', inOwn24(0))).status).toBe(503)
    clock.advance(HOUR_MS)
    expect((await ask(strangerNumber(999), inOwn24(999))).status).toBe(200)
  })

  test('to customers, whoever asks for them, can use up the limit, and still keep no holder of a token out', async () => {
    const { ask, mails, givePremium, post, tokenOf, clock } = openTarget({
      mailLimit: { limit: 20, windowMs: HOUR_MS },
    })
    const owner = 'owner@example.com'
    for (const customer of [
      owner,
      ...Array.from({ length: 25 }, (_, one) => `c${one}@example.com`),
    ]) {
      await givePremium(customer)
    }
    const authorization = `Bearer ${await tokenOf(owner)}`
    clock.advance(40 * DAY_MS)
    for (let number = 0; number < 25; number++) {
      const { status } = await ask(`c${number}@example.com`, inOwn24(number))
      expect(status).toBe(number < 20 ? 200 : 503)
    }
    expect((await ask(owner, inOwn24(30))).status).toBe(503)
    expect((await post('/auth/verify-email', { email: owner }, { authorization })).status).toBe(200)
    expect(mails).toHaveLength(21)
    // It counts for the others.
    clock.advance(HOUR_MS - 1)
    expect((await ask(owner, inOwn24(30))).status).toBe(503)
  })

  test.each([
    ['one IPv4 client', () => '203.0.113.5', 5],
    ['one /48', inOne48, 90],
  ])(
    'to customers whom %s names all day are 5 of 90, and everybody else gets theirs',
    async (who, peerOf, atOnce) => {
      const { ask, mails, givePremium, clock } = openTarget({
        mailLimit: { limit: 90, windowMs: DAY_MS },
      })
      const named = Array.from({ length: 9 }, (_, one) => `bought${one}@example.com`)
      for (const email of [...named, 'ada@example.com']) await givePremium(email)
      const asked: Record<number, number> = {}
      for (let quarter = 0; quarter < 95; quarter++) {
        for (let number = 0; number < atOnce; number++) {
          const path = number % 2 ? '/auth/verify-email' : '/auth/request-otp'
          const { status } = await ask(
            named[(quarter * atOnce + number) % 9]!,
            peerOf(number),
            path,
          )
          asked[status] = (asked[status] ?? 0) + 1
        }
        clock.advance(15 * MINUTE_MS)
      }
      printFigures(`90 mails a day, ${who} asks for 24 hours`, JSON.stringify(asked))
      expect(mails).toHaveLength(5)
      for (const [number, email] of ['ada@example.com', 'newcomer@example.org'].entries()) {
        expect((await ask(email, inOwn24(number))).status).toBe(200)
      }
    },
  )

  test('that one ordinary client asks for all day leave a plan of 100 a day to customers', async () => {
    const { ask, mails, givePremium, clock } = openTarget({
      mailLimit: { limit: 100, windowMs: DAY_MS },
    })
    for (let quarter = 0; quarter < 96; quarter++) {
      for (let count = 0; count < 5; count++) {
        await ask(strangerNumber(quarter * 5 + count), '203.0.113.5')
      }
      if (quarter % 2 === 0) {
        const customer = `customer${quarter}@example.com`
        await givePremium(customer)
        expect((await ask(customer, inOwn24(quarter))).status).toBe(200)
      }
      clock.advance(15 * MINUTE_MS)
    }
    const toStrangers = mails.filter(({ to }) => to.endsWith('@example.org'))
    expect(toStrangers.length).toBeLessThanOrEqual(10)
  })

  test('count for somebody who had premium once as for a customer', async () => {
    const { ask, ports, givePremium } = openTarget({ mailLimit: { limit: 2, windowMs: HOUR_MS } })
    await givePremium()
    await ports.premiumGrants.revokeAll('ada@example.com' as never, {
      at: ports.clock.now(),
      by: 'operator',
      source: null,
    })
    await ask(strangerNumber(1), inOwn24(1))
    expect((await ask(strangerNumber(2), inOwn24(2))).status).toBe(503)
    expect((await ask('ada@example.com', inOwn24(3))).status).toBe(200)
  })

  test('stay counted in another process, and after a restart', async () => {
    const service = openTarget({ mailLimit: { limit: 4, windowMs: HOUR_MS } })
    for (let number = 0; number < 2; number++) {
      await service.ask(strangerNumber(number), inOwn24(number))
    }
    service.close()
    const restarted = service.openProcess()
    const ask = () =>
      restarted.post('/auth/verify-email', { email: strangerNumber(9) }, {}, inOwn24(9))
    expect(await ask()).toMatchObject(REFUSED)
  })

  test('stay counted when an operator unlocks or erases their addresses', async () => {
    const { ask, ports } = openTarget({ mailLimit: { limit: 4, windowMs: HOUR_MS } })
    const asked = [strangerNumber(0), strangerNumber(1)]
    for (const email of asked) expect((await ask(email, inOwn24(1))).status).toBe(200)
    for (const email of asked) {
      await unlockEmail(ports, parseEmail(email))
      expect(await eraseEmail(ports, parseEmail(email))).toMatchObject({ outcome: 'erased' })
    }
    expect(await ask(strangerNumber(2), inOwn24(2))).toMatchObject(REFUSED)
  })

  test('count no more where they were sent more than a minute after now: the clock was ahead', async () => {
    const { ask, clock } = openTarget({ mailLimit: { limit: 4, windowMs: HOUR_MS } })
    clock.advance(5 * DAY_MS)
    for (let number = 0; number < 2; number++) {
      expect((await ask(strangerNumber(number), inOwn24(number))).status).toBe(200)
    }
    clock.advance(-MINUTE_MS)
    expect(await ask(strangerNumber(2), inOwn24(2))).toMatchObject(REFUSED)
    clock.advance(-1)
    expect((await ask(strangerNumber(2), inOwn24(2))).status).toBe(200)
  })

  test('that cannot be sent do not count, and leave nothing of the address', async () => {
    const { ask, ports, contents } = openTarget({ mailLimit: { limit: 2, windowMs: HOUR_MS } })
    ports.mailer.outage = true
    for (let number = 0; number < 20; number++) {
      expect(await ask(strangerNumber(number), inOwn24(number))).toMatchObject(REFUSED)
    }
    expect(JSON.stringify(await contents())).not.toContain('stranger')
    ports.mailer.outage = false
    expect((await ask(strangerNumber(1), inOwn24(1))).status).toBe(200)
  })

  test('that are refused for their own budget are 429, whatever the service has left', async () => {
    const { ask } = openTarget({ mailLimit: { limit: 10, windowMs: HOUR_MS } })
    for (let count = 0; count < 5; count++) await ask(strangerNumber(1), inOwn24(count))
    expect(await ask(strangerNumber(1), inOwn24(9))).toMatchObject(LIMITED)
    expect(await ask(strangerNumber(2), inOwn24(9))).toMatchObject(REFUSED)
  })
})

test('a mail about a payment goes out however many codes were mailed', async () => {
  const service = openTarget({ mailLimit: { limit: 2, windowMs: HOUR_MS } })
  const { ask, ports, post, send } = service
  const email = 'newcomer@example.org'
  await service.verify(email)
  const { body } = await post('/checkout', { email })
  const { sessionId } = body as { sessionId: string }
  await service.givePremium()
  expect((await ask('ada@example.com', inOwn24(1))).status).toBe(200)
  expect(await ask('ada@example.com', inOwn24(1))).toMatchObject(REFUSED)

  const report = ports.payments.move(sessionId, 'paid')
  const event = { kind: 'session', report, eventId: 'evt_1', eventType: 'paid' }
  const headers = { 'stripe-signature': 'valid' }
  await send('POST', '/webhook/stripe', { headers, body: JSON.stringify(event) })
  await service.deliverOutbox()
  expect(service.sentNotices).toMatchObject([{ to: email }])
})

describe('mails into one mailbox', () => {
  const spellings = [
    ['tags', (number: number) => `victim+${number}@example.org`],
    [
      'dots',
      (number: number) => `${'victim'.split('').join('.'.repeat(number & 1))}+${number}@gmail.com`,
    ],
    [
      'both domains',
      (number: number) => `v.ictim+${number}@${number % 2 ? 'gmail' : 'googlemail'}.com`,
    ],
  ] as const

  test.each(spellings)('by %s, 41 of them in a day, are 20', async (_, spelling) => {
    const { ask, mails, clock } = openTarget({})
    for (let number = 0; number < 41; number++) {
      await ask(spelling(number), inOwn24(number))
      clock.advance(20 * MINUTE_MS)
    }
    expect(mails).toHaveLength(20)
    expect(await ask(spelling(99), inOwn24(99))).toMatchObject(LIMITED)
  })

  test('are five in 15 minutes', async () => {
    const { ask, mails } = openTarget({})
    for (let number = 0; number < 9; number++) {
      await ask(`victim+${number}@example.org`, inOwn24(number))
    }
    expect(mails).toHaveLength(5)
  })

  test('by tags from one network are half, so that its owner still gets one', async () => {
    const { ask, mails, clock } = openTarget({})
    for (let number = 0; number < 41; number++) {
      await ask(`victim+${number}@example.org`, '203.0.113.5')
      clock.advance(20 * MINUTE_MS)
    }
    expect(mails).toHaveLength(10)
    expect((await ask('victim@example.org', inOwn24(1))).status).toBe(200)
  })

  test('of which the address is known to nobody in the database but in its own rows', async () => {
    const { ask, contents } = openTarget({})
    await ask('victim+1@example.org', inOwn24(1))
    expect(JSON.stringify(await contents())).not.toContain('victim@example.org')
  })
})
