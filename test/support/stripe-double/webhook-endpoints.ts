import type Stripe from 'stripe'
import type { Account } from './account.ts'
import { booleanOf, type Form, formOf, refuseUnknown, requiredText, textOf } from './form.ts'
import { newId, newWebhookEndpoint } from './objects.ts'
import { invalidRequest, missingResource } from './refusal.ts'

// https://docs.stripe.com/api/webhook_endpoints

/** The answer alone has the signing secret: no later one shows it. */
export function createEndpoint(account: Account, form: Form): Stripe.WebhookEndpoint {
  refuseUnknown(form, ['url', 'enabled_events', 'api_version', 'description', 'metadata'])
  const url = requiredText(form, 'url')
  if (!/^https?:/.test(url)) throw invalidRequest('Invalid URL', { param: 'url' })
  const made = {
    ...newWebhookEndpoint({ url, enabled_events: eventsOf(form) ?? [] }, account.mode()),
    api_version: textOf(form, 'api_version'),
    description: textOf(form, 'description'),
    metadata: metadataOf(form),
  }
  if (made.enabled_events.length === 0) {
    throw invalidRequest('Missing required param: enabled_events.', { param: 'enabled_events' })
  }
  const secret = newId('whsec')
  account.webhookEndpoints.set(made.id, made)
  account.signingSecrets.set(made.id, secret)
  return { ...made, secret }
}

/** The API version of an endpoint cannot be changed. */
export function updateEndpoint(account: Account, id: string, form: Form): Stripe.WebhookEndpoint {
  refuseUnknown(form, ['url', 'enabled_events', 'disabled', 'description', 'metadata'])
  const known = account.webhookEndpoints.get(id)
  if (!known) throw missingResource('webhook endpoint', id)
  const disabled = booleanOf(form, 'disabled')
  const changed: Stripe.WebhookEndpoint = {
    ...known,
    enabled_events: eventsOf(form) ?? known.enabled_events,
    metadata: { ...known.metadata, ...metadataOf(form) },
    ...(disabled === null ? {} : { status: disabled ? 'disabled' : 'enabled' }),
  }
  account.webhookEndpoints.set(id, changed)
  return changed
}

export function deleteEndpoint(account: Account, id: string): object {
  if (!account.webhookEndpoints.delete(id)) throw missingResource('webhook endpoint', id)
  return { id, object: 'webhook_endpoint', deleted: true }
}

/** https://docs.stripe.com/api/v2/core/event-destinations/list, which shows addresses only where it is asked to. */
export function listDestinations(account: Account, form: Form): object {
  refuseUnknown(form, ['include'])
  const isUrlShown = Object.values(formOf(form, 'include') ?? {}).includes('webhook_endpoint.url')
  const snapshots = [...account.webhookEndpoints.values()].map((endpoint) => ({
    url: endpoint.url,
    status: endpoint.status,
    event_payload: 'snapshot',
  }))
  const thin = account.thinDestinations.map((url) => ({
    url,
    status: 'enabled',
    event_payload: 'thin',
  }))
  const data = [...snapshots, ...thin].map(({ url, ...destination }) => ({
    id: newId('ed'),
    object: 'v2.core.event_destination',
    type: 'webhook_endpoint',
    ...destination,
    webhook_endpoint: isUrlShown ? { url } : {},
  }))
  return { data, next_page_url: null, previous_page_url: null }
}

function eventsOf(form: Form): string[] | null {
  const events = formOf(form, 'enabled_events')
  return events && Object.values(events).map(String)
}

function metadataOf(form: Form): Record<string, string> {
  const entries = Object.entries(formOf(form, 'metadata') ?? {})
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}
