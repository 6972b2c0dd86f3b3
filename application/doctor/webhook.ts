import { isLoopback } from '../../domain/ip-address.ts'
import { type Finding, findingsOn, type Outcome } from './finding.ts'

export type EndpointFacts = {
  readonly listed: Outcome<readonly Endpoint[]>
  /** Where Stripe sends events that name an object and do not show it; none where that is not known. */
  readonly thinUrls: readonly string[]
  /** The addresses at which the service takes notifications, the usual one first; none while PUBLIC_URL is wrong. */
  readonly wantedUrls: readonly string[]
  /** The events that the endpoint has to listen to. */
  readonly wantedEvents: readonly string[]
  /** The API version in which Alibi reads answers and notifications. */
  readonly apiVersion: string
  /** How many notifications of the last day some endpoint has not taken; null where that is not known. */
  readonly undelivered: number | null
}

export type Endpoint = {
  readonly url: string
  readonly isEnabled: boolean
  /** Or `*` for all of them. */
  readonly events: readonly string[]
  /** Null for the account's own. */
  readonly apiVersion: string | null
}

const PAGE = 'https://dashboard.stripe.com/webhooks'
const LISTED_MAX = 5

export function checkWebhook(facts: EndpointFacts): readonly Finding[] {
  return [...checkStyle(facts), ...checkListed(facts)]
}

function checkStyle({ thinUrls, wantedUrls }: EndpointFacts): readonly Finding[] {
  const ours = thinUrls.map(withoutSecrets).filter((url) => wantedUrls.includes(url))
  if (ours.length === 0) return []
  return [
    findingsOn('webhook').warning(
      `${ours.join(', ')} gets events of the style "thin", which do not say what has happened`,
      `have an endpoint of the style "snapshot" at ${PAGE}, and delete this one`,
    ),
  ]
}

function checkListed(facts: EndpointFacts): readonly Finding[] {
  const { skipped, warning, failed } = findingsOn('webhook')
  const { listed, wantedUrls } = facts
  if (wantedUrls.length === 0) {
    return [skipped('PUBLIC_URL has to be right first'), ...checkDelivery(facts)]
  }
  if (listed.kind === 'refused') {
    return [
      warning(
        'the key may not read webhook endpoints, so that they cannot be checked',
        `give the key read access to Webhook Endpoints, or look at ${PAGE}`,
      ),
      ...checkDelivery(facts),
    ]
  }
  if (listed.kind === 'unreachable') {
    return [failed(`the endpoints cannot be listed: ${listed.reason}`, 'try again')]
  }
  const ours = listed.value.filter(({ url }) => wantedUrls.includes(withoutSecrets(url)))
  const enabled = ours.filter(({ isEnabled }) => isEnabled)
  if (ours.length === 0) return [reportAbsence(facts, listed.value), ...checkDelivery(facts)]
  if (enabled.length === 0) {
    const urls = ours.map(({ url }) => withoutSecrets(url)).join(', ')
    return [failed(`${urls} is disabled`, `enable it at ${PAGE}`), ...checkDelivery(facts)]
  }
  return [
    ...(enabled.length > 1 ? [reportSurplus(enabled)] : []),
    ...checkEndpoints(enabled, facts),
    ...checkDelivery(facts),
  ]
}

function reportAbsence(
  { wantedUrls: [wanted = ''], wantedEvents }: EndpointFacts,
  endpoints: readonly Endpoint[],
): Finding {
  const { warning, failed } = findingsOn('webhook')
  if (isLoopback(URL.parse(wanted)?.hostname ?? '')) {
    return warning(
      `Stripe cannot reach ${wanted}`,
      `for trying it out, forward to it: stripe listen --forward-to ${wanted}`,
    )
  }
  const urls = endpoints.slice(0, LISTED_MAX).map(({ url }) => withoutSecrets(url))
  const there = urls.length === 0 ? 'there is none' : `there are ${urls.join(', ')}`
  return failed(
    `no endpoint for ${wanted}: ${there}`,
    `add it at ${PAGE}, in the mode of the key, for the events ${wantedEvents.join(', ')}; its signing secret is STRIPE_WEBHOOK_SECRET`,
  )
}

function reportSurplus(endpoints: readonly Endpoint[]): Finding {
  return findingsOn('webhook').warning(
    `${endpoints.length} endpoints lead here, so that everything comes ${endpoints.length} times`,
    `keep one of them, or the signing secrets of all in STRIPE_WEBHOOK_SECRET`,
  )
}

function checkEndpoints(
  endpoints: readonly Endpoint[],
  { wantedEvents, apiVersion }: EndpointFacts,
): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('webhook')
  const heard = new Set(endpoints.flatMap(({ events }) => events))
  const missing = heard.has('*') ? [] : wantedEvents.filter((event) => !heard.has(event))
  const urls = endpoints.map(({ url }) => withoutSecrets(url)).join(', ')
  const found: Finding[] = []
  if (missing.length > 0) {
    found.push(failed(`${urls} does not listen to ${missing.join(', ')}`, `add them at ${PAGE}`))
  }
  const others = endpoints
    .map((endpoint) => endpoint.apiVersion)
    .filter((version) => version !== null && version !== apiVersion)
  if (others.length > 0) {
    found.push(
      warning(
        `${urls} speaks API version ${others.join(', ')}, and Alibi reads ${apiVersion}`,
        `make an endpoint with the version ${apiVersion}: some events may look different`,
      ),
    )
  }
  return found.length > 0 ? found : [ok(`${urls} is enabled, and listens to all that is needed`)]
}

function checkDelivery({ undelivered }: EndpointFacts): readonly Finding[] {
  if (!undelivered) return []
  return [
    findingsOn('webhook').warning(
      `${undelivered} notifications of the last 24 hours did not reach every endpoint`,
      `look at the answers at ${PAGE}: 400 means that STRIPE_WEBHOOK_SECRET is not the endpoint's signing secret. Nothing is lost: Alibi asks for them`,
    ),
  ]
}

/** The address up to its path: the rest may contain a key, and makes no difference here. */
function withoutSecrets(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.origin}${parsed.pathname}` : 'one without an address'
}
