import {
  confirmEmail,
  issueToken,
  logOut,
  pickReason,
  readStrings,
  startCheckout,
  verifyEmail,
} from './alibi'
import { createClient, createConfig } from './alibi/client'

type Person = {
  email: string
  /** Reads the mail; in development the code is in the answer, too. */
  askCode(devCode?: string): Promise<string>
  /** Opens the page and ends at /payment/success. */
  pay(url: string): Promise<void>
}

/**
 * The whole way with the client that openapi-ts has made into `./alibi`: from an address to an excuse, and out again.
 * Throws the answer's body where it is an error.
 */
export async function walk(alibiUrl: string, { email, askCode, pay }: Person) {
  const client = createClient(createConfig({ baseUrl: alibiUrl }))
  const asked = { client, throwOnError: true } as const
  const { codeVerifier, codeChallenge } = await proofKey()

  const { devCode } = (await verifyEmail({ ...asked, body: { email } })).data
  const code = await askCode(devCode)
  const confirmed = await confirmEmail({ ...asked, body: { email, code, codeChallenge } })
  let { token } = confirmed.data
  if (token === undefined) {
    const proof = { email, codeVerifier }
    await pay((await startCheckout({ ...asked, body: proof })).data.checkoutUrl)
    token = (await issueToken({ ...asked, body: proof })).data.token
  }
  client.setConfig({ auth: token })

  const { data: excuse } = await pickReason({ ...asked, query: { occasion: 'late', to: 'work' } })
  const { data: words } = await readStrings({ ...asked, query: { lang: 'sv' } })
  await logOut(asked)
  const { response, error } = await pickReason({ client })
  return { excuse, words, loggedOut: { status: response?.status, error } }
}

/** RFC 7636: who has the verifier gets the token after paying, without another code. */
async function proofKey() {
  const codeVerifier = crypto.randomUUID() + crypto.randomUUID()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)))
  const codeChallenge = base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return { codeVerifier, codeChallenge }
}
