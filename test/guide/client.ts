import { treaty } from '@elysiajs/eden'
import type { Alibi } from '../../interfaces/http/app.ts'

type Person = { email: string; askCode(): Promise<string>; pay(url: string): Promise<void> }
const BASE64URL: Record<string, string> = { '+': '-', '/': '_', '=': '' }
/** From address to excuse: `askCode` reads the mail, `pay` opens a page and ends at /payment/success. */
export async function getExcuse(alibiUrl: string, { email, askCode, pay }: Person) {
  const alibi = treaty<Alibi>(alibiUrl)
  const codeVerifier = crypto.randomUUID() + crypto.randomUUID()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)))
  const codeChallenge = base64.replace(/[+/=]/g, (sign) => BASE64URL[sign] ?? '')

  await ok(alibi.auth['verify-email'].post({ email }))
  const proof = { email, code: await askCode(), codeChallenge }
  let { token } = await ok(alibi.auth['confirm-email'].post(proof))
  if (token === undefined) {
    await pay((await ok(alibi.checkout.post({ email, codeVerifier }))).checkoutUrl)
    token = (await ok(alibi.auth.token.post({ email, codeVerifier }))).token
  }
  const options = { query: { lang: 'sv' }, headers: { authorization: `Bearer ${token}` } }
  return ok(alibi['premium-reasons'].get(options))
}

type Answer<T> = { data: T; error: { value: { error: string } } | null; response?: Response }
async function ok<T>(answer: Promise<Answer<T>>) {
  const { data, error, response } = await answer
  if (data) return data
  throw new Error(error?.value.error ?? 'Offline', { cause: response?.headers.get('retry-after') })
}
