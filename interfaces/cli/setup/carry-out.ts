import type { NoAnswer } from '../../../application/doctor/finding.ts'
import {
  type EndpointPlan,
  isSettled,
  planEndpoint,
} from '../../../application/setup/plan-endpoint.ts'
import { currentValue, planSettings } from '../../../application/setup/plan-settings.ts'
import { STRIPE_KEY, WEBHOOK_SECRET } from '../../../application/setup/questions.ts'
import { type EndpointFailure, settleEndpoint } from '../../../application/setup/settle-endpoint.ts'
import { isLoopback } from '../../../domain/ip-address.ts'
import type { Collected } from './collect-answers.ts'
import type { Setup, SetupWebhook } from './setup-context.ts'

/** What is going to be done, for the operator to confirm. */
export type Intention = Collected & {
  readonly webhook: SetupWebhook
  /** Null where the key may not look at the endpoints: then only the settings are written. */
  readonly endpoint: EndpointPlan | null
  /** The settings that change, without the secret of an endpoint that is still to be made. */
  readonly changed: readonly string[]
  readonly isUnchanged: boolean
  /** Whether the signing secret that is stored, or given, belongs to this key. */
  readonly isSecretKnown: boolean
}

/** Looks at the webhook endpoints, and changes nothing. A text says why they cannot be looked at. */
export async function planSetup(
  setup: Setup,
  { wanted: answers, mail }: Collected,
  { givenSecret, isConfirmed }: { givenSecret: string | null; isConfirmed: boolean },
): Promise<Intention | string> {
  const { current } = setup
  const wanted = new Map(answers)
  if (givenSecret !== null) wanted.set(WEBHOOK_SECRET.setting, givenSecret)
  if (currentValue(current, 'JWT_SECRET') === undefined)
    wanted.set('JWT_SECRET', setup.newJwtSecret())

  const webhook = setup.webhook(wanted)
  const listed = await webhook.endpoints.list()
  if (listed.kind === 'unreachable') return `Stripe cannot be asked: ${listed.reason}`
  const stored = givenSecret ?? currentValue(current, WEBHOOK_SECRET.setting) ?? ''
  const secrets = stored.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
  const isKeyUnchanged =
    currentValue(current, STRIPE_KEY.setting) === wanted.get(STRIPE_KEY.setting)
  const isSecretGiven = givenSecret !== null
  const endpoint =
    listed.kind === 'answered'
      ? planEndpoint({
          endpoints: listed.value,
          wantedUrls: webhook.urls,
          wantedEvents: webhook.events,
          apiVersion: webhook.apiVersion,
          secretMarks: secrets.map(webhook.markOf),
          isKeyUnchanged,
          isSecretGiven,
          isConfirmed,
        })
      : null
  const plan = planSettings(current, { wanted, mail })
  const isWritten = plan.secrets.length === 0 && plan.text === current.text
  return {
    wanted,
    mail,
    webhook,
    endpoint,
    changed: plan.changed,
    isUnchanged: isWritten && (endpoint === null || isSettled(endpoint)),
    isSecretKnown: secrets.length > 0 && (isSecretGiven || isKeyUnchanged),
  }
}

/** What was done, and the steps that are left to the operator. */
export type Carried = { readonly lines: readonly string[]; readonly steps: readonly string[] }

/** Does what was planned. A step of the operator's is one that the key is not allowed. */
export async function carryOut(setup: Setup, intention: Intention): Promise<Carried> {
  const { wanted, mail, webhook, endpoint, isSecretKnown } = intention
  const [url = ''] = webhook.urls
  function store(secret: string | null): void {
    const all = new Map(wanted)
    if (secret !== null) all.set(WEBHOOK_SECRET.setting, secret)
    setup.write(planSettings(setup.current, { wanted: all, mail }))
  }

  if (endpoint === null) {
    store(null)
    return { lines: [], steps: isSecretKnown ? [] : [makeByHand(setup, webhook, null)] }
  }
  const { done, failures } = await settleEndpoint(webhook, {
    plan: endpoint,
    wanted: { url, events: webhook.events, apiVersion: webhook.apiVersion },
    store,
  })
  const isByHandDone = isSecretKnown && endpoint.reason === 'none_there'
  return {
    lines: [...new Set(done)].map((one) => `${DONE_WORDS[one]} at Stripe: ${url}`),
    steps: [
      ...failures.flatMap((failure) => {
        if (failure.step === 'create' && isByHandDone && failure.outcome.kind === 'refused')
          return []
        return [describeFailure(setup, webhook, failure)]
      }),
      ...endpoint.foreign.map((id) => describeForeign(setup, url, id)),
    ],
  }
}

const DONE_WORDS = {
  created: 'Made the webhook endpoint',
  mended: 'Mended the webhook endpoint',
  removed: 'Deleted the old webhook endpoint',
} as const

const PAGE = 'https://dashboard.stripe.com/webhooks'

function describeForeign(setup: Setup, url: string, id: string): string {
  return [
    `The endpoint ${id} was kept: it leads to ${url} as well, and another machine has its signing secret.`,
    `If that machine serves this address, run this with that secret in FILE: ${withSecret(setup)}`,
    `Else delete the endpoint at ${PAGE}.`,
  ].join('\n')
}

/** The command that takes a signing secret. */
function withSecret({ envFile }: Setup): string {
  return `alibi setup --env-file ${envFile} --${WEBHOOK_SECRET.flag} FILE`
}

function describeFailure(
  setup: Setup,
  webhook: SetupWebhook,
  { step, outcome }: EndpointFailure,
): string {
  const [url = ''] = webhook.urls
  switch (step) {
    case 'create':
      return makeByHand(setup, webhook, outcome)
    case 'mend':
      return [
        `Stripe did not let the endpoint ${url} be mended (${reasonOf(outcome)}).`,
        `Enable it at ${PAGE}, for these events and no others:`,
        ...webhook.events.map((event) => `  ${event}`),
      ].join('\n')
    case 'remove':
      return `Stripe did not let the old endpoint ${url} be deleted (${reasonOf(outcome)}): delete the older of the two at ${PAGE}, or run this again.`
  }
}

function makeByHand(setup: Setup, webhook: SetupWebhook, outcome: NoAnswer | null): string {
  const [url = ''] = webhook.urls
  const again = withSecret(setup)
  const why =
    outcome === null || outcome.kind === 'refused'
      ? 'The key may not make webhook endpoints.'
      : `Stripe did not make the webhook endpoint (${reasonOf(outcome)}).`
  if (isLoopback(URL.parse(url)?.hostname ?? '')) {
    return [
      `${why} From the internet nobody reaches ${url}: for trying it out, forward to it`,
      `  stripe listen --forward-to ${url}`,
      `Put the signing secret that it prints into a file, and run: ${again}`,
    ].join('\n')
  }
  return [
    `${why} Make one at ${PAGE}, in the mode of the key:`,
    `  URL          ${url}`,
    `  API version  ${webhook.apiVersion}`,
    '  events',
    ...webhook.events.map((event) => `    ${event}`),
    `Put its signing secret into a file, and run: ${again}`,
  ].join('\n')
}

function reasonOf(outcome: NoAnswer): string {
  return outcome.kind === 'refused' ? `HTTP ${outcome.status}` : outcome.reason
}
