import { afterEach, describe, expect, test } from 'bun:test'
import {
  GATEWAYS,
  newPurchase,
  type OpenGateway,
  PRICE,
} from '../support/stripe/payment-gateways.ts'

const opened: OpenGateway[] = []

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

describe.each(GATEWAYS)('PaymentGateway on %s', (_, openGateway) => {
  async function open() {
    const provider = await openGateway()
    opened.push(provider)
    const purchase = newPurchase(provider.clock.now())
    return { ...provider, purchase }
  }

  async function openSession() {
    const provider = await open()
    const session = await provider.gateway.createSession(provider.purchase)
    return { ...provider, ...session }
  }

  test('says what is sold, and that no real money is taken', async () => {
    const { gateway } = await open()
    expect(await gateway.price()).toEqual(PRICE)
    expect(gateway.live).toBe(false)
  })

  test('gives a purchase the same session however often it is asked', async () => {
    const { gateway, purchase, sessionId, checkoutUrl } = await openSession()
    expect(await gateway.createSession(purchase)).toEqual({ sessionId, checkoutUrl })
  })

  test('gives a purchase one session when it is asked twice at once', async () => {
    const { gateway, purchase } = await open()
    const [one, other] = await Promise.all([
      gateway.createSession(purchase),
      gateway.createSession(purchase),
    ])
    expect(one).toEqual(other)
  })

  test('gives two purchases two sessions', async () => {
    const { gateway, clock, sessionId } = await openSession()
    const other = await gateway.createSession(newPurchase(clock.now()))
    expect(other.sessionId).not.toBe(sessionId)
  })

  test('reads a new session as open, with everything that was asked for', async () => {
    const { gateway, purchase, sessionId, checkoutUrl } = await openSession()
    expect(await gateway.readSession(sessionId)).toEqual({
      sessionId,
      purchaseId: purchase.id,
      outcome: 'open',
      order: {
        id: purchase.id,
        email: purchase.email,
        language: 'en',
        price: PRICE,
        leastAmount: null,
        createdAt: purchase.createdAt,
        expiresAt: purchase.expiresAt,
        seal: 'fits',
      },
      amountSubtotal: 400,
      amountTotal: 400,
      amountDiscount: 0,
      amountTax: 0,
      currency: 'eur',
      live: false,
      singlePayment: true,
      paymentIntentId: null,
      url: checkoutUrl,
    })
  })

  test('knows nothing of a session that is not there', async () => {
    const { gateway } = await open()
    expect(await gateway.readSession('cs_test_nobody')).toBeNull()
    expect(await gateway.expireSession('cs_test_nobody')).toBeNull()
  })

  test.each(['', '..', 'cs_test_1/expire', 'cs_test_1?x=y', '../refunds', 'cs_ é'])(
    'knows nothing of a session named %p',
    async (sessionId) => {
      const { gateway } = await open()
      expect(await gateway.readSession(sessionId)).toBeNull()
      expect(await gateway.expireSession(sessionId)).toBeNull()
    },
  )

  test('reads a paid session as paid, with the payment that refunds will name', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay')
    const report = await gateway.readSession(sessionId)
    expect(report).toMatchObject({ outcome: 'paid', amountTotal: 400, url: null })
    expect(report?.paymentIntentId).toMatch(/^pi_/)
  })

  test('reads a session as processing while its money is on the way', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay_late')
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'processing', url: null })
  })

  test('reads a session as paid once its money has arrived', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay_late')
    await act(sessionId, 'money_arrives')
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'paid' })
  })

  test('reads a session as failed once its money has bounced', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay_late')
    await act(sessionId, 'money_bounces')
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'failed', url: null })
  })

  test('reads a session as open after a card was declined, and it can still be paid', async () => {
    const { gateway, act, sessionId, checkoutUrl } = await openSession()
    await act(sessionId, 'decline')
    expect(await gateway.readSession(sessionId)).toMatchObject({
      outcome: 'open',
      url: checkoutUrl,
    })
    await act(sessionId, 'pay')
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'paid' })
  })

  test('reads a session as open until its time is over, and then as expired', async () => {
    const { gateway, clock, purchase, sessionId } = await openSession()
    clock.advance(purchase.expiresAt.getTime() - clock.now().getTime() - 1000)
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'open' })
    clock.advance(1000)
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'expired', url: null })
  })

  test('takes no more money for a session that was expired', async () => {
    const { gateway, act, sessionId } = await openSession()
    expect(await gateway.expireSession(sessionId)).toMatchObject({ outcome: 'expired', url: null })
    await act(sessionId, 'pay').catch(() => {})
    expect(await gateway.readSession(sessionId)).toMatchObject({ outcome: 'expired' })
  })

  test('expires a session once, and says the same when asked again', async () => {
    const { gateway, sessionId } = await openSession()
    const first = await gateway.expireSession(sessionId)
    expect(await gateway.expireSession(sessionId)).toEqual(first)
  })

  test('says that a session was paid instead of expiring it', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay')
    expect(await gateway.expireSession(sessionId)).toMatchObject({ outcome: 'paid' })
  })

  test('says that money is on the way instead of expiring its session', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay_late')
    expect(await gateway.expireSession(sessionId)).toMatchObject({ outcome: 'processing' })
  })

  test('lists no refunds and disputes where there are none, or no payment at all', async () => {
    const { gateway, act, sessionId } = await openSession()
    await act(sessionId, 'pay')
    const paymentIntentId = (await gateway.readSession(sessionId))?.paymentIntentId ?? ''
    expect(await gateway.listRefunds(paymentIntentId)).toEqual([])
    expect(await gateway.listRefunds('pi_nobody')).toEqual([])
    expect(await gateway.listDisputes(paymentIntentId)).toEqual([])
    expect(await gateway.listDisputes('pi_nobody')).toEqual([])
  })

  test('finds nothing where nothing has happened, in a single page', async () => {
    const { gateway, clock } = await openSession()
    const window = { since: clock.now(), cursor: null }
    const before = { since: new Date(0), until: new Date(1000), cursor: null }
    const pages = [
      await gateway.findSessions(before),
      await gateway.findCompletedSessions(window),
      await gateway.findUndeliveredNotifications(window),
      await gateway.findRefunds(window),
      await gateway.findDisputes(window),
    ]
    for (const page of pages) expect(page).toEqual({ items: [], unreadable: [], cursor: null })
  })

  test('finds the sessions that a buyer has completed, newest first, as it reads them', async () => {
    const { gateway, act, clock } = await open()
    const since = clock.now()
    const completed: string[] = []
    for (const actions of [
      ['pay'],
      ['pay_late'],
      ['pay_late', 'money_arrives'],
      ['pay_late', 'money_bounces'],
      ['decline'],
      [],
    ] as const) {
      clock.advance(1000)
      const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
      for (const action of actions) await act(sessionId, action)
      if (actions.length > 0 && actions[0] !== 'decline') completed.unshift(sessionId)
    }
    const { items, unreadable, cursor } = await gateway.findCompletedSessions({
      since,
      cursor: null,
    })
    expect(items.map(({ sessionId }) => sessionId)).toEqual(completed)
    expect(items.map(({ outcome }) => outcome)).toEqual(['failed', 'paid', 'processing', 'paid'])
    expect([unreadable, cursor]).toEqual([[], null])
    for (const item of items) expect(await gateway.readSession(item.sessionId)).toEqual(item)
  })

  test('finds every session of a window, whatever came of it, as it reads them', async () => {
    const { gateway, act, clock, sessionId: before } = await openSession()
    clock.advance(2000)
    const since = clock.now()
    const made: string[] = []
    for (const action of ['pay', 'pay_late', 'decline', null] as const) {
      clock.advance(1000)
      const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
      if (action) await act(sessionId, action)
      made.unshift(sessionId)
    }
    const { sessionId: expired } = await gateway.createSession(newPurchase(clock.now()))
    await gateway.expireSession(expired)
    const until = clock.now()
    clock.advance(1000)
    const { sessionId: after } = await gateway.createSession(newPurchase(clock.now()))
    const { items, unreadable, cursor } = await gateway.findSessions({ since, until, cursor: null })
    const found = items.map(({ sessionId }) => sessionId)
    expect(found.toSorted()).toEqual([expired, ...made].toSorted())
    expect(found).not.toContain(before)
    expect(found).not.toContain(after)
    expect([unreadable, cursor]).toEqual([[], null])
    const outcomes = items.map(({ outcome }) => outcome).toSorted()
    expect(outcomes).toEqual(['expired', 'open', 'open', 'paid', 'processing'])
    for (const item of items) expect(await gateway.readSession(item.sessionId)).toEqual(item)
  })

  test('finds a session whose time is over as expired', async () => {
    const { gateway, clock, purchase } = await openSession()
    const window = { since: purchase.createdAt, until: clock.now(), cursor: null }
    clock.advance(purchase.expiresAt.getTime() - clock.now().getTime())
    expect((await gateway.findSessions(window)).items).toMatchObject([{ outcome: 'expired' }])
  })

  test('finds no session that was made before the window', async () => {
    const { gateway, act, clock, sessionId } = await openSession()
    await act(sessionId, 'pay')
    const find = async () =>
      (await gateway.findCompletedSessions({ since: clock.now(), cursor: null })).items.length
    expect(await find()).toBe(1)
    clock.advance(1000)
    expect(await find()).toBe(0)
  })

  test('finds each of 250 completed sessions once, page by page', async () => {
    const { gateway, act, clock } = await open()
    const since = clock.now()
    const made = new Set<string>()
    for (let count = 0; count < 250; count++) {
      if (count % 2 === 0) clock.advance(1000)
      const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
      await act(sessionId, 'pay')
      made.add(sessionId)
    }
    const found: string[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page: Awaited<ReturnType<typeof gateway.findCompletedSessions>> =
        await gateway.findCompletedSessions({ since, cursor })
      found.push(...page.items.map(({ sessionId }) => sessionId))
      cursor = page.cursor
      pages++
    } while (cursor !== null)
    expect(pages).toBe(3)
    expect(found).toHaveLength(250)
    expect(new Set(found)).toEqual(made)
  })

  test('notifies of a payment with all that is needed to settle it without a question', async () => {
    const { gateway, act, nextSessionReport, purchase, sessionId } = await openSession()
    await act(sessionId, 'pay')
    const { event } = await nextSessionReport()
    const report = await gateway.readSession(sessionId)
    expect(report).toMatchObject({ outcome: 'paid', purchaseId: purchase.id })
    expect(event).toEqual({
      eventId: expect.stringMatching(/^evt_/),
      eventType: 'checkout.session.completed',
      occurredAt: expect.any(Date),
      kind: 'session',
      report: report!,
    })
  })

  test.each([
    ['money_arrives', 'checkout.session.async_payment_succeeded', 'paid'],
    ['money_bounces', 'checkout.session.async_payment_failed', 'failed'],
  ] as const)('notifies of late money twice: on its way, then %s', async (end, type, outcome) => {
    const { act, nextSessionReport, sessionId } = await openSession()
    await act(sessionId, 'pay_late')
    const first = (await nextSessionReport()).event
    await act(sessionId, end)
    const second = (await nextSessionReport()).event
    expect(first).toMatchObject({
      eventType: 'checkout.session.completed',
      report: { sessionId, outcome: 'processing' },
    })
    expect(second).toMatchObject({ eventType: type, report: { sessionId, outcome } })
    expect(second.eventId).not.toBe(first.eventId)
  })

  test('notifies of a session that has expired', async () => {
    const { gateway, nextSessionReport, sessionId } = await openSession()
    await gateway.expireSession(sessionId)
    expect((await nextSessionReport()).event).toMatchObject({
      eventType: 'checkout.session.expired',
      report: { sessionId, outcome: 'expired' },
    })
  })

  describe('refuses a notification', () => {
    async function delivered() {
      const provider = await openSession()
      await provider.act(provider.sessionId, 'pay')
      const { delivery } = await provider.nextSessionReport()
      const read = (own: { payload?: Uint8Array; signature?: string | null }) =>
        provider.gateway.verifyEvent({ ...delivery, ...own })
      return { ...provider, ...delivery, read }
    }
    const refusal = { name: 'DomainError', refusal: 'invalid_signature' }

    test('without a signature', async () => {
      const { read } = await delivered()
      await expect(read({ signature: null })).rejects.toMatchObject(refusal)
      await expect(read({ signature: '' })).rejects.toMatchObject(refusal)
    })

    test('under a signature that was altered', async () => {
      const { read, signature } = await delivered()
      const altered = signature.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      await expect(read({ signature: altered })).rejects.toMatchObject(refusal)
    })

    test('by its header alone where no payload could make it count, and by no other', async () => {
      const { gateway, signature, clock } = await delivered()
      const refused = (header: string | null) => {
        try {
          gateway.checkSignatureHeader(header)
          return false
        } catch (error) {
          expect(error).toMatchObject(refusal)
          return true
        }
      }
      expect(refused(signature)).toBe(false)
      expect(refused(signature.replace(/.{64}$/, '0'.repeat(64)))).toBe(false)
      for (const header of [null, '', 'garbage', signature.slice(0, -1), signature.slice(2)]) {
        expect([header, refused(header)]).toEqual([header, true])
      }
      clock.advance(300_000)
      expect(refused(signature)).toBe(false)
      clock.advance(1000)
      expect(refused(signature)).toBe(true)
    })

    test('of which a single byte was altered', async () => {
      const { read, payload } = await delivered()
      const altered = payload.slice()
      altered[altered.indexOf('4'.charCodeAt(0))] = '5'.charCodeAt(0)
      await expect(read({ payload: altered })).rejects.toMatchObject(refusal)
    })

    test('whose signature is older than five minutes', async () => {
      const { read, clock } = await delivered()
      clock.advance(300_000)
      expect(await read({})).toMatchObject({ kind: 'session' })
      clock.advance(1000)
      await expect(read({})).rejects.toMatchObject(refusal)
    })
  })
})
