import { describe, expect, test } from 'bun:test'
import { isSettled, PENDING_MARK, planEndpoint } from '../../../application/setup/plan-endpoint.ts'
import { settleEndpoint } from '../../../application/setup/settle-endpoint.ts'
import type {
  KeptEndpoint,
  WebhookEndpoints,
} from '../../../application/setup/webhook-endpoints.ts'

const URL_WANTED = 'https://alibi.example/webhook/stripe'
const EVENTS = ['a', 'b']

const endpoint = (own: Partial<KeptEndpoint> = {}): KeptEndpoint => ({
  id: 'we_1',
  url: URL_WANTED,
  isEnabled: true,
  events: EVENTS,
  apiVersion: 'v1',
  mark: 'known',
  ...own,
})

const planned = (
  endpoints: readonly KeptEndpoint[],
  own: Partial<Parameters<typeof planEndpoint>[0]> = {},
) =>
  planEndpoint({
    endpoints,
    wantedUrls: [URL_WANTED],
    wantedEvents: EVENTS,
    apiVersion: 'v1',
    secretMarks: ['known'],
    isKeyUnchanged: true,
    isSecretGiven: false,
    isConfirmed: false,
    ...own,
  })

describe('planEndpoint', () => {
  test('leaves an endpoint that is right alone', () => {
    expect(isSettled(planned([endpoint()]))).toBe(true)
    expect(isSettled(planned([endpoint({ mark: null, apiVersion: null })]))).toBe(true)
    expect(isSettled(planned([endpoint({ url: `${URL_WANTED}?key=1` })]))).toBe(true)
    expect(isSettled(planned([endpoint({ events: ['b', 'a'] })]))).toBe(true)
  })

  test('makes one where none leads to the service', () => {
    const plan = planned([endpoint({ url: 'https://other.example/webhook/stripe' })])
    expect(plan).toEqual({ kept: null, removed: [], foreign: [], reason: 'none_there' })
  })

  test('mends one that is disabled, or listens to too little or too much', () => {
    expect(planned([endpoint({ isEnabled: false })]).kept?.flaws).toEqual(['disabled'])
    expect(planned([endpoint({ events: ['a'] })]).kept?.flaws).toEqual(['events'])
    expect(planned([endpoint({ events: ['*'] })]).kept?.flaws).toEqual(['events'])
    expect(planned([endpoint({ events: ['a', 'b', 'c'] })]).kept?.flaws).toEqual(['events'])
  })

  test('replaces one of another API version, which cannot be changed', () => {
    const plan = planned([endpoint({ apiVersion: 'v0' })])
    expect(plan).toEqual({ kept: null, removed: ['we_1'], foreign: [], reason: 'other_version' })
  })

  test.each([
    ['nothing is stored', {}, { secretMarks: [] }],
    ['it was never stored', { mark: PENDING_MARK }, {}],
    ['that of another one is stored', { mark: 'other' }, { isConfirmed: true }],
    ['it was lost', { mark: 'other' }, { secretMarks: [] }],
    ['it was made by hand, and the key is another', { mark: null }, { isKeyUnchanged: false }],
  ])('replaces one whose secret is not known: %s', (_, own, around) => {
    const plan = planned([endpoint(own)], around)
    expect(plan).toEqual({ kept: null, removed: ['we_1'], foreign: [], reason: 'secret_unknown' })
  })

  test.each([
    ['beside its own', [endpoint({ mark: 'other' }), endpoint({ id: 'we_2' })], {}],
    ['where it has a secret', [endpoint({ mark: 'other' })], {}],
    [
      'where it has nothing yet',
      [endpoint({ mark: 'other' })],
      { secretMarks: [], isKeyUnchanged: false },
    ],
  ])('keeps the endpoint of another machine unless a person is asked: %s', (_, there, around) => {
    expect(planned(there, around)).toMatchObject({ removed: [], foreign: ['we_1'] })
    const asked = planned(there, { ...around, isConfirmed: true })
    expect(asked).toMatchObject({ removed: ['we_1'], foreign: [] })
  })

  test('believes the operator who names the secret, and notes that', () => {
    const plan = planned([endpoint({ mark: 'other' })], { isSecretGiven: true })
    expect(plan.kept).toEqual({ id: 'we_1', flaws: [], mark: 'known' })
  })

  test('removes an endpoint too many, unless the secrets of all are stored', () => {
    const both = [endpoint({ id: 'we_old', mark: null }), endpoint({ id: 'we_new' })]
    expect(planned(both)).toMatchObject({ kept: { id: 'we_new' }, removed: ['we_old'] })
    const stored = planned(both, { secretMarks: ['known', 'second'] })
    expect(stored).toMatchObject({ kept: { id: 'we_new' }, removed: [] })
  })
})

describe('settleEndpoint', () => {
  function provider() {
    const acts: string[] = []
    const ok = { kind: 'answered', value: null } as const
    const endpoints: WebhookEndpoints = {
      list: async () => ({ kind: 'answered', value: [] }),
      async create({ mark }) {
        acts.push(`create ${mark}`)
        return { kind: 'answered', value: { id: 'we_new', secret: 'whsec_new' } }
      },
      async mend(id) {
        acts.push(`mend ${id}`)
        return ok
      },
      async mark(id, mark) {
        acts.push(`mark ${id} ${mark}`)
        return ok
      },
      async remove(id) {
        acts.push(`remove ${id}`)
        return ok
      },
    }
    const store = (secret: string | null) => void acts.push(`store ${secret}`)
    return { acts, endpoints, store, markOf: (secret: string) => `mark-of-${secret}` }
  }
  const wanted = { url: URL_WANTED, events: EVENTS, apiVersion: 'v1' }

  test('stores the secret of a new endpoint before anything else, and removes the old one last', async () => {
    const { acts, store, ...ports } = provider()
    const plan = { kept: null, removed: ['we_old'], foreign: [], reason: 'secret_unknown' } as const
    const { done, failures } = await settleEndpoint(ports, { plan, wanted, store })
    expect(acts).toEqual([
      'create pending',
      'store whsec_new',
      'mark we_new mark-of-whsec_new',
      'remove we_old',
    ])
    expect({ done, failures }).toEqual({ done: ['created', 'removed'], failures: [] })
  })

  test('removes nothing where the new endpoint could not be made, and stores the rest', async () => {
    const { acts, store, endpoints, markOf } = provider()
    const refused = { kind: 'refused', status: 403 } as const
    const ports = { endpoints: { ...endpoints, create: async () => refused }, markOf }
    const plan = { kept: null, removed: ['we_old'], foreign: [], reason: 'secret_unknown' } as const
    const { failures } = await settleEndpoint(ports, { plan, wanted, store })
    expect(failures).toEqual([{ step: 'create', outcome: refused }])
    expect(acts).toEqual(['store null'])
  })

  test('asks the provider nothing where all is right', async () => {
    const { acts, store, ...ports } = provider()
    const kept = { id: 'we_1', flaws: [], mark: null } as const
    const plan = { kept, removed: [], foreign: [], reason: null } as const
    await settleEndpoint(ports, { plan, wanted, store })
    expect(acts).toEqual(['store null'])
  })
})
