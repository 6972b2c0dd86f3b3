import { expect } from 'bun:test'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { textsOf } from './fakes.ts'
import { client } from './http/client.ts'

const swedish = builtInContent().in('sv')

type Journey = {
  url: string
  email: string
  /** Where the code of the latest mail is found: in the answer, or in the mail. */
  readCode: (answer: Record<string, unknown>) => string | Promise<string>
  /** What the buyer does on the hosted page, up to the moment at which the provider's notification was accepted. */
  pay: (session: { sessionId: string; checkoutUrl: string }) => Promise<void>
}

/** Walks the whole way as a buyer does: proves an address, pays, logs in, reads in Swedish. Returns the token. */
export async function walkTheWholeWay({ url, email, readCode, pay }: Journey): Promise<string> {
  const alibi = client(url)
  async function proveAddress() {
    const mailed = await alibi.post('/auth/verify-email', { email })
    expect(mailed.status).toBe(200)
    const confirmed = await alibi.post('/auth/confirm-email', {
      email,
      code: await readCode(mailed.body),
    })
    expect(confirmed).toMatchObject({ status: 200, body: { success: true, email } })
    return confirmed.body
  }

  const beforePaying = await proveAddress()
  expect(beforePaying).not.toHaveProperty('token')
  expect((await alibi.get(`/auth/check?email=${email}`)).body).toEqual({ email, hasPremium: false })

  const checkout = await alibi.post('/checkout', { email })
  expect(checkout).toMatchObject({ status: 200, body: { success: true } })
  const sessionId = String(checkout.body['sessionId'])
  await pay({ sessionId, checkoutUrl: String(checkout.body['checkoutUrl']) })

  const success = await alibi.get(`/payment/success?session_id=${sessionId}`)
  expect(success.status).toBe(200)
  expect((await alibi.get(`/auth/check?email=${email}`)).body).toEqual({ email, hasPremium: true })
  expect((await alibi.post('/checkout', { email })).status).toBe(409)

  const token = String((await proveAddress())['token'])
  const reason = await alibi.get('/premium-reasons?lang=sv', token)
  expect(reason).toMatchObject({ status: 200, body: { language: 'sv', email } })
  expect(textsOf(swedish)).toContain(String(reason.body['reason']))
  expect((await alibi.get('/i18n?lang=sv', token)).body['strings']).toEqual(swedish.strings)
  return token
}
