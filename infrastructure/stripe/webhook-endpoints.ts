import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import type { KeptEndpoint, WebhookEndpoints } from '../../application/setup/webhook-endpoints.ts'
import { expectObject, isMissing } from './answers.ts'
import { stripeClient } from './client.ts'
import { outcomeOf } from './outcome.ts'
import { readAllPages } from './pages.ts'

/** The key in the metadata of an endpoint under which setup notes whose signing secret is stored. */
const MARK = 'signing_secret_sha256'
const MARK_CHARACTERS = 16

/** Names a signing secret without telling it. */
export function markOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, MARK_CHARACTERS)
}

/** Stripe's webhook endpoints: https://docs.stripe.com/api/webhook_endpoints. */
export function stripeWebhookEndpoints(settings: {
  secretKey: string
  /** Null for Stripe's own. */
  apiUrl: string | null
  /** For each question. */
  timeoutMs: number
}): WebhookEndpoints {
  const client = stripeClient(settings)
  const ask = <Value>(question: (stripe: Stripe) => Promise<Value>) => outcomeOf(client(question))

  async function update(
    stripe: Stripe,
    id: string,
    change: Stripe.WebhookEndpointUpdateParams,
  ): Promise<null> {
    expectObject(await stripe.webhookEndpoints.update(id, change), 'webhook_endpoint', id)
    return null
  }

  return {
    list: () => ask(listWebhookEndpoints),
    create: ({ url, events, apiVersion, mark }) =>
      ask(async (stripe) => {
        const answer = await stripe.webhookEndpoints.create({
          url,
          enabled_events: toStripe(events),
          api_version: apiVersion as Stripe.WebhookEndpointCreateParams.ApiVersion,
          description: 'Alibi',
          metadata: { [MARK]: mark },
        })
        const { id, secret } = expectObject(answer, 'webhook_endpoint')
        if (!secret) throw new Error('an endpoint without its signing secret')
        return { id, secret }
      }),
    mend: (id, { events }) =>
      ask((stripe) => update(stripe, id, { enabled_events: toStripe(events), disabled: false })),
    mark: (id, mark) => ask((stripe) => update(stripe, id, { metadata: { [MARK]: mark } })),
    remove: (id) =>
      ask(async (stripe) => {
        try {
          await stripe.webhookEndpoints.del(id)
        } catch (error) {
          if (!isMissing(error)) throw error
        }
        return null
      }),
  }
}

export async function listWebhookEndpoints(stripe: Stripe): Promise<readonly KeptEndpoint[]> {
  const all = await readAllPages((page) => stripe.webhookEndpoints.list(page), 'webhook_endpoint')
  return all.map(({ id, url, status, enabled_events, api_version, metadata }) => ({
    id,
    url,
    isEnabled: status === 'enabled',
    events: enabled_events,
    apiVersion: api_version,
    mark: metadata?.[MARK] ?? null,
  }))
}

function toStripe(events: readonly string[]) {
  return [...events] as Stripe.WebhookEndpointCreateParams.EnabledEvent[]
}
