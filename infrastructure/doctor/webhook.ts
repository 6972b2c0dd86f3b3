import Stripe from 'stripe'
import { type Finding, findingsOn, made, type Outcome } from '../../application/doctor/finding.ts'
import { addressOf, type KeptEndpoint } from '../../application/setup/webhook-endpoints.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { isLoopback } from '../../domain/ip-address.ts'
import { ENDPOINT_EVENT_TYPES, EVENT_TYPES } from '../stripe/events.ts'
import { toSeconds } from '../stripe/objects.ts'
import { expectList } from '../stripe/pages.ts'
import { listWebhookEndpoints } from '../stripe/webhook-endpoints.ts'

/** A question to Stripe. */
export type Ask = <Value>(question: (stripe: Stripe) => Promise<Value>) => Promise<Outcome<Value>>

const PAGE = 'https://dashboard.stripe.com/webhooks'
const LISTED_MAX = 5
/** A younger notification may still be on its way. */
const UNDER_WAY_MS = 10 * MINUTE_MS

/** Whether notifications come to any one of these addresses, the usual one first; none while PUBLIC_URL is wrong. */
export async function checkWebhook(
  ask: Ask,
  { wantedUrls, now }: { wantedUrls: readonly string[]; now: Date },
): Promise<readonly Finding[]> {
  const [listed, thin, undelivered] = await Promise.all([
    ask(listWebhookEndpoints),
    ask(listThinUrls),
    ask((stripe) => countUndelivered(stripe, now)),
  ])
  const { warning } = findingsOn('webhook')
  const thinHere = (thin.kind === 'answered' ? thin.value : [])
    .map(addressOf)
    .filter((url) => wantedUrls.includes(url))
  return made(
    thinHere.length > 0 &&
      warning(
        `${thinHere.join(', ')} gets events of the style "thin", which do not say what has happened`,
        `have an endpoint of the style "snapshot" at ${PAGE}, and delete this one`,
      ),
    ...checkListed(listed, wantedUrls),
    undelivered.kind === 'answered' &&
      undelivered.value > 0 &&
      warning(
        `${undelivered.value} notifications of the last 24 hours did not reach every endpoint`,
        `look at the answers at ${PAGE}: 400 means that STRIPE_WEBHOOK_SECRET is not the endpoint's signing secret. Nothing is lost: Alibi asks for them`,
      ),
  )
}

/** These are in no list of webhook endpoints: https://docs.stripe.com/api/v2/core/event-destinations. */
async function listThinUrls(stripe: Stripe): Promise<readonly string[]> {
  const { data } = await stripe.v2.core.eventDestinations.list({
    include: ['webhook_endpoint.url'],
  })
  return data.flatMap(({ event_payload: style, status, webhook_endpoint: endpoint }) =>
    style === 'thin' && status === 'enabled' && endpoint?.url ? [endpoint.url] : [],
  )
}

/** How many notifications of the last day some endpoint has not taken. */
async function countUndelivered(stripe: Stripe, now: Date): Promise<number> {
  const secondsBefore = (milliseconds: number) => toSeconds(new Date(now.getTime() - milliseconds))
  const listed = await stripe.events.list({
    delivery_success: false,
    types: [...EVENT_TYPES],
    created: { gte: secondsBefore(DAY_MS), lte: secondsBefore(UNDER_WAY_MS) },
    limit: 100,
  })
  return expectList(listed).data.length
}

function checkListed(
  listed: Outcome<readonly KeptEndpoint[]>,
  wantedUrls: readonly string[],
): readonly Finding[] {
  const { ok, skipped, warning, failed } = findingsOn('webhook')
  if (wantedUrls.length === 0) return [skipped('PUBLIC_URL has to be right first')]
  if (listed.kind === 'refused') {
    return [
      warning(
        'the key may not read webhook endpoints, so that they cannot be checked',
        `give the key read access to Webhook Endpoints, or look at ${PAGE}`,
      ),
    ]
  }
  if (listed.kind === 'unreachable') {
    return [failed(`the endpoints cannot be listed: ${listed.reason}`, 'try again')]
  }
  const ours = listed.value.filter(({ url }) => wantedUrls.includes(addressOf(url)))
  const enabled = ours.filter(({ isEnabled }) => isEnabled)
  if (ours.length === 0) return [reportAbsence(wantedUrls[0] ?? '', listed.value)]
  const urls = (enabled.length > 0 ? enabled : ours).map(({ url }) => addressOf(url)).join(', ')
  if (enabled.length === 0) return [failed(`${urls} is disabled`, `enable it at ${PAGE}`)]

  const heard = new Set(enabled.flatMap(({ events }) => events))
  const missing = heard.has('*') ? [] : ENDPOINT_EVENT_TYPES.filter((event) => !heard.has(event))
  const others = enabled
    .map(({ apiVersion }) => apiVersion)
    .filter((version) => version !== null && version !== Stripe.API_VERSION)
  return made(
    enabled.length > 1 &&
      warning(
        `${enabled.length} endpoints lead here, so that everything comes ${enabled.length} times`,
        'keep one of them, or the signing secrets of all in STRIPE_WEBHOOK_SECRET',
      ),
    missing.length > 0 &&
      failed(`${urls} does not listen to ${missing.join(', ')}`, `add them at ${PAGE}`),
    others.length > 0 &&
      warning(
        `${urls} speaks API version ${others.join(', ')}, and Alibi reads ${Stripe.API_VERSION}`,
        `make an endpoint with the version ${Stripe.API_VERSION}: some events may look different`,
      ),
    missing.length + others.length === 0 &&
      ok(`${urls} is enabled, and listens to all that is needed`),
  )
}

function reportAbsence(wanted: string, endpoints: readonly KeptEndpoint[]): Finding {
  const { warning, failed } = findingsOn('webhook')
  if (isLoopback(URL.parse(wanted)?.hostname ?? '')) {
    return warning(
      `Stripe cannot reach ${wanted}`,
      `for trying it out, forward to it: stripe listen --forward-to ${wanted}`,
    )
  }
  const urls = endpoints.slice(0, LISTED_MAX).map(({ url }) => addressOf(url))
  const there = urls.length === 0 ? 'there is none' : `there are ${urls.join(', ')}`
  return failed(
    `no endpoint for ${wanted}: ${there}`,
    `add it at ${PAGE}, in the mode of the key, for the events ${ENDPOINT_EVENT_TYPES.join(', ')}; its signing secret is STRIPE_WEBHOOK_SECRET`,
  )
}
