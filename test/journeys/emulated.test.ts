import { expect, test } from 'bun:test'
import { createEmulator } from 'emulate'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { openProduction, SECRETS } from '../support/executable/production.ts'
import { carriedOut } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import { walkTheWholeWay } from '../support/journey.ts'

const english = builtInContent().in('en')

/*
 * The executable against a Stripe and a Resend that others wrote (npm `emulate`). Its Resend is whole enough for the
 * whole way. Its Stripe says no amount, no currency and no client_reference_id of a session, and its events have no id,
 * so there the way ends where Alibi has to see what was paid: at the money that is put aside for review.
 */

async function startResend() {
  const emulator = await createEmulator({ service: 'resend', port: 0 })

  /** The subjects of all mails to the address, oldest first. */
  async function subjectsTo(address: string): Promise<string[]> {
    const headers = { authorization: `Bearer ${SECRETS.RESEND_API_KEY}` }
    const response = await fetch(`${emulator.url}/emails`, { headers })
    const { data } = (await response.json()) as {
      data: { to: string[]; subject: string; created_at: string }[]
    }
    const mails = data.filter(({ to }) => to.includes(address))
    const sorted = mails.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
    return sorted.map(({ subject }) => subject)
  }

  return {
    url: emulator.url,
    subjectsTo,
    /** The code in the latest mail to the address that brings one. */
    async latestCode(address: string): Promise<string> {
      const codes = (await subjectsTo(address)).flatMap((one) => /^[0-9]{6}/.exec(one) ?? [])
      return codes.at(-1) ?? ''
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

/** Its webhook has to be known before Alibi is, which in turn has to know where this Stripe is. */
async function startStripe() {
  const answers: number[] = []
  let webhookUrl = ''
  const relay = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ headers, body }) {
      const { status } = await fetch(webhookUrl, { method: 'POST', headers, body })
      answers.push(status)
      return new Response(null, { status })
    },
  })
  const price = { currency: 'eur', unit_amount: 400 }
  const emulator = await createEmulator({
    service: 'stripe',
    port: 0,
    seed: {
      stripe: {
        products: [{ id: 'prod_1', name: 'Alibi Premium' }],
        prices: [{ id: 'price_1', product_name: 'Alibi Premium', ...price }],
        webhooks: [{ url: relay.url.href, events: ['*'], secret: SECRETS.STRIPE_WEBHOOK_SECRET }],
      },
    },
  })
  return {
    url: emulator.url,
    /** What Alibi has answered to its events. */
    answers,
    deliverTo(url: string) {
      webhookUrl = url
    },
    /** Presses the button on the hosted page, and says where the browser is sent. */
    async pay(checkoutUrl: string): Promise<string | null> {
      const page = await (await fetch(checkoutUrl)).text()
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
      const paid = await fetch(new URL(action, checkoutUrl), { method: 'POST', redirect: 'manual' })
      return paid.headers.get('location')
    },
    async [Symbol.asyncDispose]() {
      await emulator.close()
      await relay.stop(true)
    },
  }
}

test('a buyer walks the whole way with mails that another Resend has delivered', async () => {
  await using production = await openProduction()
  await using resend = await startResend()
  const { double, settings } = production
  const alibi = await production.start({ env: { ...settings, RESEND_BASE_URL: resend.url } })
  const email = 'buyer@example.com'
  await walkTheWholeWay({
    url: alibi.url,
    email,
    readCode: () => resend.latestCode(email),
    async pay({ sessionId }) {
      double.pay(sessionId)
      await double.deliverAll()
    },
  })
  await carriedOut(production)
  expect(await alibi.stop()).toBe(0)
  const { mail_confirmed_subject: confirmed } = english.strings
  const subjects = await resend.subjectsTo(email)
  expect(subjects.filter((subject) => subject === confirmed).length).toBe(1)
  expect(subjects.length).toBe(3)
  expect(production.mailbox.mails).toEqual([])
})

test('at another Stripe a buyer pays and comes back, and money of unknown amount opens nothing', async () => {
  await using production = await openProduction()
  await using stripe = await startStripe()
  const alibi = await production.start({
    env: { ...production.settings, STRIPE_API_URL: stripe.url, STRIPE_PRICE_ID: 'price_1' },
  })
  stripe.deliverTo(`${alibi.url}/webhook/stripe`)
  const http = client(alibi.url)
  const email = 'buyer@example.com'
  await http.post('/auth/verify-email', { email })
  await http.post('/auth/confirm-email', { email, code: production.mailbox.latestCode(email) })

  const { status, body: session } = await http.post('/checkout', { email })
  expect(status).toBe(200)
  const again = await http.post('/checkout', { email })
  expect(again.body).toEqual(session)

  const location = await stripe.pay(String(session['checkoutUrl']))
  expect(location).toBe(`https://alibi.example/payment/success?session_id=${session['sessionId']}`)
  expect(stripe.answers).toEqual([200])

  const { pathname, search } = new URL(String(location))
  const page = await http.get(pathname + search)
  expect(page.status).toBe(200)
  expect(page.text).toContain('data-state="processing"')
  expect((await http.get(`/auth/check?email=${email}`)).body).toEqual({ email, hasPremium: false })
  expect(await alibi.stop()).toBe(0)
  expect(alibi.output()).toContain('"reason":"currency"')
  expect(production.double.count()).toBe(0)
})
