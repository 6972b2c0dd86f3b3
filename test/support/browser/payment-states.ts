import type { PaymentPageState } from '../../../interfaces/http/pages/payment-page.ts'
import { SERVER_ERROR } from '../stripe-double/faults.ts'
import { nextClientAddress } from './browser-setup.ts'
import type { productionSetup } from './services.ts'

type Shop = ReturnType<typeof productionSetup>

const READ_SESSION = 'GET /v1/checkout/sessions/:id'

/** Brings about each state of the page after paying, and says where it can be looked at. */
export function paymentStates({ url, stripe, mailbox }: Shop) {
  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(url() + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': nextClientAddress() },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Record<string, unknown>
  }

  async function checkOut(email: string): Promise<string> {
    await post('/auth/verify-email', { email })
    await post('/auth/confirm-email', { email, code: mailbox().latestCode(email) })
    const { sessionId } = await post('/checkout', { email })
    return String(sessionId)
  }

  const success = (sessionId: string) => `/payment/success?session_id=${sessionId}`

  return {
    async active() {
      const id = await checkOut('active@example.com')
      stripe().pay(id)
      return success(id)
    },
    async processing() {
      const id = await checkOut('processing@example.com')
      stripe().payLate(id)
      return success(id)
    },
    async unpaid() {
      const id = await checkOut('unpaid@example.com')
      stripe().expire(id)
      return success(id)
    },
    async ended() {
      const id = await checkOut('ended@example.com')
      stripe().pay(id)
      stripe().refund(id)
      await stripe().deliverAll()
      return success(id)
    },
    unknown: async () => success('cs_test_nobodyknows'),
    invalid: async () => '/payment/success',
    cancel: async () => '/payment/cancel',
    /** From then on Stripe is out of reach for every other state, too. */
    async unavailable() {
      const id = await checkOut('unavailable@example.com')
      stripe().fault(SERVER_ERROR, { times: Number.POSITIVE_INFINITY, on: READ_SESSION })
      return success(id)
    },
  } satisfies Record<PaymentPageState, () => Promise<string>>
}
