import { CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../proof-key.ts'
import { type Body, EMAIL, openHttp, WRONG_CODE } from './http-client.ts'

type Http = ReturnType<typeof openHttp>

/** A request that is about to be sent, in a world where it succeeds unless something is changed. */
export type Attempt = {
  http: Http
  query: string
  headers: Record<string, string>
  /** The fields of a JSON body. */
  fields: Record<string, unknown> | null
  /** Sent instead of the fields. */
  body: Body | null
}

type Prepared = Partial<Pick<Attempt, 'query' | 'headers' | 'fields'>>

/** Makes a world in which the operation succeeds, but that the address may have no premium. */
export async function prepareAttempt(
  operationId: string,
  { hasPremium }: { hasPremium: boolean },
): Promise<Attempt> {
  const http = openHttp()
  if (hasPremium) await http.givePremium()
  const prepared = (await SUCCESSES[operationId]?.(http)) ?? {}
  return { http, query: '', headers: {}, fields: null, body: null, ...prepared }
}

export async function sendAttempt(
  { http, query, headers, fields, body }: Attempt,
  { method, path }: { method: string; path: string },
) {
  const content =
    method === 'GET' ? undefined : (body ?? (fields ? JSON.stringify(fields) : undefined))
  return http.send(method, path + query, {
    headers: { ...(fields ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(content === undefined ? {} : { body: content }),
  })
}

/** What has to be there, and to be sent, for each operation to succeed; those left out need nothing. */
const SUCCESSES: Readonly<Record<string, (http: Http) => Promise<Prepared>>> = {
  verifyEmail: async () => ({ fields: { email: EMAIL } }),
  confirmEmail: async (http) => ({ fields: { email: EMAIL, code: await http.mailCode() } }),
  issueToken: async (http) => {
    await confirm(http)
    return { fields: { email: EMAIL, codeVerifier: VERIFIER } }
  },
  requestOtp: async () => ({ fields: { email: EMAIL } }),
  logIn: async (http) => ({ fields: { email: EMAIL, code: await http.mailCode() } }),
  logOut: withToken,
  checkPremium: async () => ({ query: `?email=${EMAIL}` }),
  startCheckout: async (http) => {
    await confirm(http)
    return { fields: { email: EMAIL, codeVerifier: VERIFIER } }
  },
  pickReason: withToken,
  readStrings: withToken,
  showPayment: async (http) => {
    await confirm(http)
    await http.post('/checkout', { email: EMAIL, codeVerifier: VERIFIER })
    const [sessionId = ''] = [...http.ports.payments.sessions.keys()]
    http.ports.payments.move(sessionId, 'paid')
    return { query: `?session_id=${sessionId}` }
  },
  receiveStripeNotification: withNotification,
  receivePaymentNotification: withNotification,
}

async function confirm(http: Http): Promise<void> {
  const code = await http.mailCode()
  await http.post('/auth/confirm-email', { email: EMAIL, code, codeChallenge: CHALLENGE })
}

async function withToken(http: Http): Promise<Prepared> {
  return { headers: { authorization: `Bearer ${await http.tokenOf()}` } }
}

async function withNotification(): Promise<Prepared> {
  return {
    headers: { 'stripe-signature': 'valid' },
    fields: { eventId: 'evt_1', eventType: 'price.updated', kind: 'other' },
  }
}

/** What to change for each error, by its name in the document. */
export const SPOILERS: Readonly<Record<string, (attempt: Attempt) => void | Promise<void>>> = {
  InvalidJSON(attempt) {
    attempt.body = '{'
  },
  InvalidRequest(attempt) {
    attempt.query = '?tone=unheard-of'
    attempt.body = new ReadableStream({
      pull: (controller) => controller.error(new Error('broken off')),
    })
  },
  UnsupportedMediaType({ headers }) {
    headers['content-type'] = 'text/plain'
  },
  RequestTooLarge({ headers }) {
    headers['content-length'] = '5000000'
  },
  InvalidEmail(attempt) {
    attempt.query = '?email=nobody'
    if (attempt.fields) attempt.fields['email'] = 'nobody'
  },
  InvalidOrExpiredCode({ fields }) {
    fields!['code'] = WRONG_CODE
  },
  MissingToken({ headers }) {
    delete headers['authorization']
  },
  InvalidOrExpiredToken({ headers }) {
    headers['authorization'] = 'Bearer forged'
  },
  InvalidSignature({ headers }) {
    headers['stripe-signature'] = 'forged'
  },
  EmailNotVerified({ fields }) {
    fields!['email'] = 'bob@example.com'
  },
  EmailNotVerifiedToLogIn({ fields }) {
    fields!['codeVerifier'] = OTHER_VERIFIER
  },
  // The attempt is prepared without premium.
  PremiumAccessRequired() {},
  PremiumAccessRequiredToLogIn() {},
  async PremiumAccessAlreadyActive({ http }) {
    await http.givePremium()
  },
  async PaymentProcessing({ http }) {
    await http.post('/checkout', { email: EMAIL, codeVerifier: VERIFIER })
    const [sessionId = ''] = [...http.ports.payments.sessions.keys()]
    http.ports.payments.move(sessionId, 'processing')
    await http.get(`/payment/success?session_id=${sessionId}`)
  },
  PaymentProviderUnavailable({ http }) {
    http.ports.payments.outage = true
  },
  EmailDeliveryUnavailable({ http }) {
    http.ports.mailer.outage = true
  },
}
