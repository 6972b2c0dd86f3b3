import { describe, expect, test } from 'bun:test'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import type { CodeChallenge, CodeVerifier } from '../../../domain/code-challenge.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { newVerification } from '../../../domain/verification.ts'
import { fakePorts, NOON, ORIGIN, saveVerification } from '../../support/fakes.ts'
import { CHALLENGE, OTHER_CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../../support/proof-key.ts'

const email = parseEmail('ada@example.com')
const alreadyActive = new DomainError('premium_already_active')
const processing = new DomainError('payment_processing')

/** Ports with a verified address, and every question to the provider on record, the price too. */
async function open() {
  const ports = fakePorts()
  const { payments } = ports
  const price = payments.price
  payments.price = async () => {
    payments.calls.push('price')
    return price()
  }
  const verify = () =>
    saveVerification(
      ports,
      newVerification(email, { lifetimeMs: 30 * MINUTE_MS, now: ports.clock.now() }),
    )
  await verify()
  const checkout = () => startCheckout(ports, { email, language: 'en' })
  const purchases = async () => (await ports.purchases.findAccount(email)).purchases
  const states = async () => (await purchases()).map(({ state }) => state)
  const payable = () =>
    [...payments.sessions.values()].filter(({ outcome }) => outcome === 'open').length
  return { ports, payments, verify, checkout, purchases, states, payable }
}

describe('who may pay', () => {
  test('no address without a verification: the provider is asked for nothing and nothing is stored', async () => {
    const { ports, payments } = await open()
    const bob = parseEmail('bob@example.com')
    const checkout = startCheckout(ports, { email: bob, language: 'en' })
    await expect(checkout).rejects.toEqual(new DomainError('email_not_verified'))
    expect(payments.calls).toEqual([])
    expect((await ports.purchases.findAccount(bob)).purchases).toEqual([])
  })

  test('no address whose verification has just run out', async () => {
    const { ports, payments, checkout } = await open()
    ports.clock.advance(30 * MINUTE_MS)
    await expect(checkout()).rejects.toEqual(new DomainError('email_not_verified'))
    expect(payments.calls).toEqual([])
  })

  test('no address with premium and without a verification: the refusal names the verification', async () => {
    const { ports, checkout } = await open()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    await expect(checkout()).rejects.toEqual(alreadyActive)
    ports.clock.advance(30 * MINUTE_MS)
    await expect(checkout()).rejects.toEqual(new DomainError('email_not_verified'))
  })

  test('no address with premium: the provider is asked for nothing and nothing is stored', async () => {
    const { ports, payments, checkout, states } = await open()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    await expect(checkout()).rejects.toEqual(alreadyActive)
    expect(payments.calls).toEqual([])
    expect(await states()).toEqual([])
  })

  test('no address with a delayed payment under way: the provider is asked whether it is', async () => {
    const { payments, checkout } = await open()
    payments.move((await checkout()).sessionId, 'processing')
    await expect(checkout()).rejects.toEqual(processing)
    payments.calls.length = 0
    await expect(checkout()).rejects.toEqual(processing)
    expect(payments.calls).toEqual(['expireSession'])
    payments.outage = true
    await expect(checkout()).rejects.toEqual(processing)
  })

  test('again, once a delayed payment has failed', async () => {
    const { ports, payments, checkout } = await open()
    const { sessionId } = await checkout()
    payments.move(sessionId, 'processing')
    await expect(checkout()).rejects.toEqual(processing)
    const [purchase] = (await ports.purchases.findAccount(email)).purchases
    await ports.purchases.update(email, ORIGIN, () => ({
      purchase: { ...purchase!, state: 'closed' },
    }))
    expect((await checkout()).sessionId).not.toBe(sessionId)
  })

  test('again, once premium was revoked', async () => {
    const { ports, payments, checkout } = await open()
    const { sessionId } = await checkout()
    payments.move(sessionId, 'paid')
    await expect(checkout()).rejects.toEqual(alreadyActive)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    expect((await checkout()).sessionId).not.toBe(sessionId)
  })
})

describe('where the browser that proved the address gave a challenge', () => {
  async function openChallenged() {
    const opened = await open()
    const { ports } = opened
    const verifyFrom = (codeChallenge: CodeChallenge) => {
      const lifetimeMs = 30 * MINUTE_MS
      const now = ports.clock.now()
      return saveVerification(ports, newVerification(email, { codeChallenge, lifetimeMs, now }))
    }
    await verifyFrom(CHALLENGE)
    const checkoutBy = (codeVerifier: CodeVerifier | null) =>
      startCheckout(ports, { email, language: 'en', codeVerifier })
    return { ...opened, verifyFrom, checkoutBy }
  }

  test('it alone opens the page, and opens it again', async () => {
    const { payments, checkoutBy, states } = await openChallenged()
    for (const other of [null, OTHER_VERIFIER]) {
      await expect(checkoutBy(other)).rejects.toEqual(new DomainError('email_not_verified'))
    }
    expect(payments.calls).toEqual([])
    const session = await checkoutBy(VERIFIER)
    expect(await checkoutBy(VERIFIER)).toEqual(session)
    await expect(checkoutBy(null)).rejects.toEqual(new DomainError('email_not_verified'))
    expect(await states()).toEqual(['open'])
  })

  test('nothing is stored where another browser proves the address while the price is asked for', async () => {
    const { payments, verifyFrom, checkoutBy, states } = await openChallenged()
    const price = payments.price
    payments.price = async () => {
      await verifyFrom(OTHER_CHALLENGE)
      return price()
    }
    await expect(checkoutBy(VERIFIER)).rejects.toEqual(new DomainError('email_not_verified'))
    expect(await states()).toEqual([])
  })
})

describe('a new session', () => {
  test('is on record before the provider hears of it, and known by its id afterwards', async () => {
    const { ports, payments, checkout, purchases } = await open()
    const create = payments.createSession
    payments.createSession = async (purchase) => {
      expect(await ports.purchases.findById(purchase.id)).toEqual(purchase)
      return create(purchase)
    }
    const session = await checkout()
    const [purchase, ...others] = await purchases()
    expect(others).toEqual([])
    expect(session).toEqual({
      sessionId: purchase!.sessionId!,
      checkoutUrl: `https://pay.example/${purchase!.sessionId}`,
    })
    expect(payments.calls).toEqual(['price', 'createSession'])
    expect.assertions(4)
  })

  test('asks for the price of today, in the mode of the provider', async () => {
    const { payments, checkout, purchases } = await open()
    payments.today = { amount: 1200, currency: 'sek' }
    payments.live = true
    await checkout()
    expect(await purchases()).toMatchObject([
      { email, price: { amount: 1200, currency: 'sek' }, live: true, state: 'open' },
    ])
  })

  test('is one, however many ask for it at the same time', async () => {
    const { checkout, payable, states } = await open()
    const sessions = await Promise.all(Array.from({ length: 50 }, checkout))
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(1)
    expect(payable()).toBe(1)
    expect(await states()).toEqual(['open'])
  })

  test('belongs to one address alone', async () => {
    const { ports, checkout } = await open()
    const bob = parseEmail('bob@example.com')
    await saveVerification(ports, newVerification(bob, { lifetimeMs: MINUTE_MS, now: NOON }))
    const bobs = await startCheckout(ports, { email: bob, language: 'en' })
    expect(bobs.sessionId).not.toBe((await checkout()).sessionId)
  })
})

describe('an open session', () => {
  test('is handed out again once the provider has said that it is still open', async () => {
    const { ports, payments, checkout, states } = await open()
    const session = await checkout()
    payments.calls.length = 0
    ports.clock.advance(20 * MINUTE_MS)
    expect(await checkout()).toEqual(session)
    expect(payments.calls).toEqual(['price', 'readSession'])
    expect(await states()).toEqual(['open'])
  })

  test.each([
    ['a millisecond before its last five minutes', 28 * MINUTE_MS - 1, true],
    ['in its last five minutes', 28 * MINUTE_MS, false],
  ])('is handed out again or replaced %s', async (_, afterMs, reused) => {
    const { ports, verify, checkout, payable, states } = await open()
    const session = await checkout()
    ports.clock.advance(afterMs)
    await verify()
    const next = await checkout()
    expect(next.sessionId === session.sessionId).toBe(reused)
    expect(payable()).toBe(1)
    expect(await states()).toEqual(reused ? ['open'] : ['closed', 'open'])
  })

  test.each([
    ['amount', { amount: 500, currency: 'eur' }],
    ['currency', { amount: 400, currency: 'usd' }],
  ])('at an old %s is expired at the provider before a new one is opened', async (_, today) => {
    const { payments, checkout, payable, purchases } = await open()
    const session = await checkout()
    payments.today = today
    payments.calls.length = 0
    expect((await checkout()).sessionId).not.toBe(session.sessionId)
    expect(payments.calls.filter((call) => call !== 'price')).toEqual([
      'readSession',
      'expireSession',
      'createSession',
    ])
    expect(payable()).toBe(1)
    expect((await purchases()).map(({ state, price }) => [state, price.amount])).toEqual([
      ['closed', 400],
      ['open', today.amount],
    ])
  })

  test('that expired unnoticed is replaced', async () => {
    const { payments, checkout, states } = await open()
    const session = await checkout()
    payments.move(session.sessionId, 'expired')
    expect((await checkout()).sessionId).not.toBe(session.sessionId)
    expect(await states()).toEqual(['closed', 'open'])
  })

  test('that the provider does not know is replaced', async () => {
    const { payments, checkout, states } = await open()
    await checkout()
    payments.sessions.clear()
    await checkout()
    expect(await states()).toEqual(['closed', 'open'])
  })

  test('that was paid is settled on the spot, and no buyer pays twice', async () => {
    const { ports, payments, checkout, states } = await open()
    payments.move((await checkout()).sessionId, 'paid')
    await expect(checkout()).rejects.toEqual(alreadyActive)
    expect(await states()).toEqual(['paid'])
    expect(await ports.premiumGrants.findByEmail(email)).toHaveLength(1)
    expect(payments.calls.filter((call) => call === 'createSession')).toHaveLength(1)
  })

  test('that is being paid with delay is settled on the spot', async () => {
    const { payments, checkout, states } = await open()
    payments.move((await checkout()).sessionId, 'processing')
    await expect(checkout()).rejects.toEqual(processing)
    expect(await states()).toEqual(['processing'])
  })

  test('that is paid while it is being expired is settled, not replaced', async () => {
    const { payments, checkout, states } = await open()
    const session = await checkout()
    payments.today = { amount: 500, currency: 'eur' }
    const expire = payments.expireSession
    payments.expireSession = async (sessionId) => {
      payments.move(session.sessionId, 'paid')
      return expire(sessionId)
    }
    await expect(checkout()).rejects.toEqual(alreadyActive)
    expect(await states()).toEqual(['paid'])
  })

  test('that is paid while its creation is being answered is not handed out', async () => {
    const { ports, payments, checkout } = await open()
    const create = payments.createSession
    payments.createSession = async (purchase) => {
      const session = await create(purchase)
      payments.move(session.sessionId, 'paid')
      const paid = {
        state: 'paid',
        sessionId: session.sessionId,
        amountPaid: 400,
        paidAt: NOON,
        isDuplicate: false,
        revokedAt: null,
      } as const
      await ports.purchases.update(email, ORIGIN, () => ({ purchase: { ...purchase, ...paid } }))
      return session
    }
    await expect(checkout()).rejects.toEqual(alreadyActive)
  })

  test('without a page is replaced rather than handed out', async () => {
    const { payments, checkout } = await open()
    const { sessionId } = await checkout()
    payments.sessions.set(sessionId, { ...payments.sessions.get(sessionId)!, url: null })
    expect((await checkout()).sessionId).not.toBe(sessionId)
  })

  test('that will not go away ends in an outage, not in a loop', async () => {
    const { payments, checkout } = await open()
    const { sessionId } = await checkout()
    payments.today = { amount: 500, currency: 'eur' }
    payments.expireSession = async () => payments.sessions.get(sessionId) ?? null
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
  })
})
