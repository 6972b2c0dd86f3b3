import { treaty } from '@elysiajs/eden'
import type { Alibi } from '../../interfaces/http/app.ts'

type Person = { email: string; askCode(): Promise<string>; pay(url: string): Promise<void> }
const BASE64URL = { alphabet: 'base64url', omitPadding: true } as const

/** From address to excuse: `askCode` reads the mail, `pay` opens a page and ends at /payment/success. */
export async function getExcuse(alibiUrl: string, { email, askCode, pay }: Person) {
  const alibi = treaty<Alibi>(alibiUrl)
  const codeVerifier = crypto.randomUUID() + crypto.randomUUID()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const codeChallenge = new Uint8Array(digest).toBase64(BASE64URL)

  await ok(alibi.auth['verify-email'].post({ email }))
  const proof = { email, code: await askCode(), codeChallenge }
  let { token } = await ok(alibi.auth['confirm-email'].post(proof))
  if (token === undefined) {
    await pay((await ok(alibi.checkout.post({ email }))).checkoutUrl)
    token = (await ok(alibi.auth.token.post({ email, codeVerifier }))).token
  }
  const headers = { authorization: `Bearer ${token}` }
  return ok(alibi['premium-reasons'].get({ query: { lang: 'sv' }, headers }))
}

type Answer<Data> = { data: Data; error: { value: { error: string } } | null; response: Response }
async function ok<Data>(answer: Promise<Answer<Data>>) {
  const { data, error, response } = await answer
  if (data) return data
  throw new Error(error?.value.error, { cause: response.headers.get('retry-after') })
}
