import { get } from '../load/request-file.ts'
import { emailOf, sessionIdOf, spread } from '../seed/addresses.ts'
import { issueTokens } from '../seed/tokens.ts'
import type { Scenario, Stage } from './scenario.ts'

const READERS = 500

const READING = { tokens: READERS, writes: false, isRepeated: true } as const

function withTokens(target: string): Scenario['requests'] {
  return async ({ url, tokens, addresses }) => {
    const issued = await issueTokens(url, { tokens, addresses })
    return issued.map((token) => get(target, { Authorization: `Bearer ${token}` }))
  }
}

const ofReaders =
  (target: (number: number) => string): Scenario['requests'] =>
  async ({ addresses }: Stage) =>
    spread(READERS, addresses).map((number) => get(target(number)))

export const PREMIUM_REASONS: Scenario = {
  ...READING,
  name: 'premium-reasons',
  about: 'an excuse, 500 tokens',
  expected: '"reason":',
  requests: withTokens('/premium-reasons?lang=sv'),
}

export const READING_SCENARIOS: readonly Scenario[] = [
  PREMIUM_REASONS,
  {
    ...PREMIUM_REASONS,
    name: 'premium-reasons-20000',
    about: 'an excuse, 20,000 tokens',
    tokens: 20_000,
    isLong: true,
  },
  {
    ...READING,
    name: 'i18n',
    about: 'the translations, 500 tokens',
    expected: '"strings":',
    requests: withTokens('/i18n?lang=sv'),
  },
  {
    ...READING,
    name: 'languages',
    about: 'the list of languages',
    expected: '"languages":',
    requests: async () => [get('/languages')],
  },
  {
    ...READING,
    name: 'auth-check',
    about: 'whether 500 addresses have premium',
    expected: '"hasPremium":true',
    requests: ofReaders((number) => `/auth/check?email=${encodeURIComponent(emailOf(number))}`),
  },
  {
    ...READING,
    name: 'success-page',
    about: 'the page after a payment that is known',
    expected: '</html>',
    requests: ofReaders((number) => `/payment/success?session_id=${sessionIdOf(number)}`),
  },
]
