import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { CHALLENGE, OTHER_CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../support/proof-key.ts'
import { customerSetup } from '../support/service/real-customer.ts'

const STRANGER = 'mallory@example.com' as Email
const NOT_VERIFIED = answers(
  403,
  'Email not verified',
  'Please verify your email with OTP code before purchasing',
)

const openShop = customerSetup()

/** What a stranger can say who knows the address, and whatever else is no secret. */
const GUESSES: readonly object[] = [
  {},
  { lang: 'ar' },
  { codeVerifier: '' },
  { codeVerifier: 'a guess' },
  { codeVerifier: CHALLENGE },
  { codeVerifier: OTHER_VERIFIER },
  { codeVerifier: VERIFIER.slice(1) },
  { codeVerifier: `${VERIFIER} ` },
  { codeVerifier: VERIFIER.toLowerCase() },
  { codeChallenge: CHALLENGE },
]

/** A shop, a buyer whose browser proves their address with a challenge, and a stranger with an address of their own. */
async function openScene() {
  const customerOf = await openShop()
  const { service, double, clock, deliver, asked } = customerOf()

  async function prove(email: Email, codeChallenge?: string): Promise<void> {
    const code = await service.mailCode(email)
    await service.post('/auth/confirm-email', { email, code, codeChallenge })
  }
  const checkOut = (fields: object = {}, email: Email = EMAIL) =>
    service.post('/checkout', { email, ...fields })
  const byBuyer = (lang = 'sv') => checkOut({ codeVerifier: VERIFIER, lang })

  async function attack(): Promise<void> {
    for (const guess of GUESSES) {
      const { status, body } = await checkOut(guess)
      expect({ guess, status, body }).toEqual({ guess, ...NOT_VERIFIED })
    }
  }
  return { service, double, clock, deliver, asked, prove, checkOut, byBuyer, attack }
}

describe('while an address is proved, a stranger who knows it', () => {
  test('gets no payment page of it, and makes the provider and the database do nothing', async () => {
    const { service, asked, prove, attack, double } = await openScene()
    await prove(EMAIL, CHALLENGE)
    await prove(STRANGER, OTHER_CHALLENGE)
    const routes = asked()
    const before = await service.contents()

    await attack()

    expect(routes()).toEqual([])
    expect(double.sessions.size).toBe(0)
    expect(await service.contents()).toEqual(before)
  })

  test('cannot get the page that the buyer has open either, nor choose the language of its mails', async () => {
    const { service, double, deliver, prove, attack, byBuyer } = await openScene()
    await prove(EMAIL, CHALLENGE)
    await attack()
    const { body } = await byBuyer('sv')
    await attack()
    expect((await byBuyer('sv')).body).toEqual(body)

    const { sessionId } = body as { sessionId: string }
    await deliver(double.pay(sessionId))
    await service.deliverOutbox()
    expect(service.sentNotices).toMatchObject([{ to: EMAIL, language: 'sv' }])
  })

  test('cannot block it with a bank debit that never comes', async () => {
    const { double, deliver, prove, attack, byBuyer, service } = await openScene()
    await prove(EMAIL, CHALLENGE)
    await attack()
    for (const id of double.sessions.keys()) await deliver(double.payLate(id))
    expect(await byBuyer()).toMatchObject({ status: 200, body: { success: true } })
    const { purchases } = await service.ports.purchases.findAccount(EMAIL)
    expect(purchases).toMatchObject([{ state: 'open', language: 'sv' }])
  })

  test('is told the same, to the byte, as before it was proved, while it is being paid, once it has premium, and after', async () => {
    const { double, deliver, clock, prove, attack, byBuyer } = await openScene()
    await attack()
    await prove(EMAIL, CHALLENGE)
    await attack()
    const { body } = await byBuyer()
    const { sessionId } = body as { sessionId: string }
    await deliver(double.payLate(sessionId))
    expect(await byBuyer()).toMatchObject(answers(409, 'Payment processing'))
    await attack()
    await deliver(double.lateSucceed(sessionId))
    expect(await byBuyer()).toMatchObject(answers(409, 'Premium access already active'))
    await attack()
    clock.advance(30 * MINUTE_MS)
    expect(await byBuyer()).toMatchObject(NOT_VERIFIED)
    await attack()
  })

  test('gets nowhere with what proves an address of their own', async () => {
    const { prove, checkOut } = await openScene()
    await prove(EMAIL, CHALLENGE)
    await prove(STRANGER, OTHER_CHALLENGE)
    const own = { codeVerifier: OTHER_VERIFIER }
    expect(await checkOut(own)).toMatchObject(NOT_VERIFIED)
    expect(await checkOut(own, STRANGER)).toMatchObject({ status: 200 })
    expect(await checkOut({ codeVerifier: VERIFIER }, STRANGER)).toMatchObject(NOT_VERIFIED)
  })
})

test('a browser that proved the address before another did so has to prove it again', async () => {
  const { prove, checkOut, byBuyer } = await openScene()
  await prove(EMAIL, OTHER_CHALLENGE)
  await prove(EMAIL, CHALLENGE)
  expect(await checkOut({ codeVerifier: OTHER_VERIFIER })).toMatchObject(NOT_VERIFIED)
  expect(await byBuyer()).toMatchObject({ status: 200 })
})

test('a client that proves addresses without a challenge pays as ever, whatever verifier it sends', async () => {
  const { prove, checkOut } = await openScene()
  await prove(EMAIL)
  const { status, body } = await checkOut()
  expect(status).toBe(200)
  for (const guess of [{ codeVerifier: VERIFIER }, { codeVerifier: 'a guess' }]) {
    expect(await checkOut(guess)).toMatchObject({ status: 200, body: body as object })
  }
})
