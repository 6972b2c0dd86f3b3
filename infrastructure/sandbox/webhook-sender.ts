import { request } from 'node:http'
import Stripe from 'stripe'
import type { Clock } from '../../application/ports.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { SandboxEvent } from './events.ts'

export type SandboxDelivery = { readonly payload: string; readonly signature: string }

const FIRST_WAIT_MS = 500
const WAIT_MAX_MS = MINUTE_MS

/** Sends events to the webhook until it takes them. An event that is on its way when the process ends is lost. */
export function webhookSender({
  webhookSecret,
  deliver,
  wait,
  clock,
}: {
  webhookSecret: string
  /** False, or a throw, has the event sent again. */
  deliver: (delivery: SandboxDelivery) => Promise<boolean>
  wait: (milliseconds: number) => Promise<void>
  clock: Clock
}) {
  let isStopped = false

  async function bring(event: SandboxEvent): Promise<void> {
    let waitMs = FIRST_WAIT_MS
    while (!isStopped && !(await tryOnce(event))) {
      await wait(waitMs)
      waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)
    }
  }

  async function tryOnce(event: SandboxEvent): Promise<boolean> {
    const payload = JSON.stringify(event, null, 2)
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: webhookSecret,
      // The time of this try: the service refuses a signature that is older than some minutes.
      timestamp: Math.floor(clock.now().getTime() / 1000),
    })
    try {
      return await deliver({ payload, signature })
    } catch {
      return false
    }
  }

  return {
    /** Does not wait for the event to arrive. */
    send: (event: SandboxEvent) => void bring(event),
    /** Ends all further tries. */
    stop() {
      isStopped = true
    },
  }
}

/**
 * Posts a notification to a service on this machine; true once it was taken. By node:http, since fetch would send even
 * this through the HTTP_PROXY of the environment.
 */
export function postNotification(
  url: string,
  { payload, signature }: SandboxDelivery,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  request(url, { method: 'POST', headers, agent: false }, (response) => {
    response.resume()
    resolve(response.statusCode === 200)
  })
    .on('error', reject)
    .end(payload)
  return promise
}
