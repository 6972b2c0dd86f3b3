import type { Clock } from '../../../application/ports.ts'
import { type StripeEvent, signedDelivery } from '../stripe/stripe-events.ts'
import { stripeAccount } from './account.ts'
import { stripeActs } from './acts.ts'
import { answerCall, findRoute } from './api.ts'
import { faultQueue, spoil } from './faults.ts'
import { type Form, parseForm } from './form.ts'
import { answerBuyer, HOSTED_PAGES } from './hosted-page.ts'
import { idempotencyKeys } from './idempotency.ts'
import { newId } from './objects.ts'
import type { RefundAnswer } from './refunds.ts'
import { Refusal } from './refusal.ts'
import { type Answer, type Incoming, type Reply, startServer } from './wire.ts'

export type StripeDouble = Awaited<ReturnType<typeof startStripeDouble>>

/** A request as the double saw it. */
export type SeenRequest = Incoming & { readonly route: string | null; readonly form: Form }

/**
 * A Stripe of our own, as strict as the real one where Alibi touches it, on a free port of this machine. Buyers and
 * banks are played by its methods (`pay`, `refund`, `dispute`, ...); the events that follow are held until the test
 * delivers them, in whatever order and as often as it likes. Any request can be made to go wrong (`fault`). What a
 * browser does on its hosted pages is no request to the API, and is not counted as one.
 */
export async function startStripeDouble({
  webhookSecret,
  secretKey = 'sk_test_double',
  clock = { now: () => new Date() },
}: {
  webhookSecret: string
  /** The one key that it accepts; a live one makes everything of live mode. */
  secretKey?: string
  clock?: Clock
}) {
  const account = stripeAccount({
    clock,
    live: secretKey.includes('_live_'),
    pagesUrl: () => server.url + HOSTED_PAGES,
  })
  const acts = stripeActs(account)
  const keys = idempotencyKeys(clock)
  const faults = faultQueue()
  const requests: SeenRequest[] = []
  const waiters = new Set<() => void>()
  let webhookUrl: string | null = null

  async function answer(incoming: Incoming): Promise<Reply> {
    if (incoming.path.startsWith(HOSTED_PAGES)) return answerBuyer(account, acts, incoming)

    const call = findRoute(incoming.method, incoming.path)
    const route = call?.route ?? null
    const form = parseForm(incoming.method === 'POST' ? incoming.body : incoming.query)
    requests.push({ ...incoming, route, form })
    for (const waiter of waiters) waiter()

    const fault = faults.next(route)
    if (typeof fault === 'object' && fault !== null) return fault
    const regular = await refusable(() => {
      refuseStranger(incoming, secretKey)
      if (!call) throw unknownUrl(incoming)
      refuseWrongEncoding(incoming)
      return keys.once(incoming, async () => {
        await faults.heldBack(route)
        return refusable(async () => answerOf(200, answerCall(account, call, form)))
      })
    })
    return fault === null ? regular : spoil(regular, fault)
  }

  const server = await startServer(answer)

  /** That of the endpoint with this address which a client has made; else the one that was agreed on. */
  function signingSecretOf(address: string): string {
    const made = [...account.webhookEndpoints.values()].findLast(({ url }) => url === address)
    return (made && account.signingSecrets.get(made.id)) ?? webhookSecret
  }

  /** Brings an event to the webhook, whether it was brought before or not, and resolves with the HTTP status. */
  async function deliver(event: StripeEvent): Promise<number> {
    if (webhookUrl === null) throw new Error('nobody said where events go: call deliverTo first')
    const { payload, signature } = await signedDelivery(event, {
      secret: signingSecretOf(webhookUrl),
      at: clock.now(),
    })
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signature,
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      body: payload,
    })
    await response.body?.cancel()
    if (response.ok) account.delivered.add(event.id)
    return response.status
  }

  function held(): StripeEvent[] {
    account.expireOverdue()
    return account.events.filter(({ id }) => !account.delivered.has(id))
  }

  return {
    ...acts,
    ...faults,
    url: server.url,
    secretKey,
    webhookSecret,
    /** Everything that was asked, by anybody. */
    requests,
    events: account.events,
    sessions: account.sessions,
    refunds: account.refunds,
    disputes: account.disputes,
    addPrice: account.addPrice,
    addWebhookEndpoint: account.addWebhookEndpoint,
    webhookEndpoints: account.webhookEndpoints,
    /** What the account does by itself, and what it knows; a test may change it. */
    defaults: account.defaults,
    thinDestinations: account.thinDestinations,
    /** How refunds that are asked for over the API begin from now on. */
    answerRefunds(status: RefundAnswer) {
      account.answers.refund = status
    },
    emit: account.emit,
    /** How often a route was asked, such as `POST /v1/checkout/sessions`; without one, everything. */
    count: (route?: string) =>
      route ? requests.filter((request) => request.route === route).length : requests.length,
    /** Resolves once that many requests have come, whether they were answered or not. */
    seen(requestCount: number): Promise<void> {
      return new Promise((resolve) => {
        const waiter = () => {
          if (requests.length < requestCount) return
          waiters.delete(waiter)
          resolve()
        }
        waiters.add(waiter)
        waiter()
      })
    },
    deliverTo(url: string) {
      webhookUrl = url
    },
    deliver,
    /** As if every webhook had taken the event. */
    markDelivered: (event: StripeEvent) => void account.delivered.add(event.id),
    /** As if one webhook had not: the event is held, and listed as undelivered. */
    markUndelivered: (event: StripeEvent) => void account.delivered.delete(event.id),
    /** As if Stripe had never made the events that there are. */
    forgetEvents() {
      account.events.length = 0
    },
    /** The events that no delivery has brought yet, oldest first. */
    held,
    /** Delivers all of them, one after the other, and resolves with their HTTP statuses. */
    async deliverAll(): Promise<number[]> {
      const statuses: number[] = []
      for (const event of held()) statuses.push(await deliver(event))
      return statuses
    },
    stop: () => server.stop(),
  }
}

async function refusable(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, body, isExecuted } = error
    const answer = { status, headers: answerHeaders(), body }
    return isExecuted ? { ...answer, isExecuted } : answer
  }
}

function answerOf(status: number, body: object): Answer {
  return { status, headers: answerHeaders(), body: JSON.stringify(body, null, 2) }
}

function answerHeaders(): Record<string, string> {
  return { 'content-type': 'application/json', 'request-id': newId('req') }
}

function refuseStranger({ headers }: Incoming, secretKey: string): void {
  if (headers['authorization'] === `Bearer ${secretKey}`) return
  const message = 'Invalid API Key provided: ****'
  throw new Refusal(401, { type: 'invalid_request_error', message })
}

function unknownUrl({ method, path }: Incoming): Refusal {
  const message = `Unrecognized request URL (${method}: ${path}).`
  return new Refusal(404, { type: 'invalid_request_error', message })
}

function refuseWrongEncoding({ method, headers }: Incoming): void {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (method === 'GET' || isForm) return
  throw new Refusal(400, { type: 'invalid_request_error', message: 'Invalid request encoding.' })
}
