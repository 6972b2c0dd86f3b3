import { get } from '../load/request-file.ts'
import { emailOf, spread } from '../seed/addresses.ts'
import { issueTokens } from '../seed/tokens.ts'
import type { Scenario } from './scenario.ts'
import { paymentRequests, verificationRequests } from './writing.ts'

/** Of a hundred requests; all others are for an excuse. */
const SHARES = { languages: 10, check: 5, verification: 4, payment: 1 } as const

export const MIX: Scenario = {
  name: 'mix',
  about: '80 % excuses, 10 % languages, 5 % checks, 4 % codes, 1 % payments',
  tokens: 500,
  writes: true,
  isRepeated: false,
  expected: '',
  async requests(stage, amount) {
    const hundreds = Math.ceil(amount / 100)
    const tokens = await issueTokens(stage.url, stage)
    const readers = spread(tokens.length, stage.addresses)
    const verifications = await verificationRequests(stage, SHARES.verification * hundreds)
    const paid = await paymentRequests(stage, SHARES.payment * hundreds)
    const languages = get('/languages')
    const excuses = tokens.map((token) =>
      get('/premium-reasons?lang=sv', { Authorization: `Bearer ${token}` }),
    )
    const checks = readers.map((number) =>
      get(`/auth/check?email=${encodeURIComponent(emailOf(number))}`),
    )

    return Array.from({ length: 100 * hundreds }, (_, index) => {
      // The number 37 has no factor in common with 100, so that each hundred has each place once, well mixed.
      let place = (index * 37) % 100
      const hundred = Math.floor(index / 100)
      if (place < SHARES.payment) return paid[hundred] ?? languages
      place -= SHARES.payment
      if (place < SHARES.verification) {
        return verifications[hundred * SHARES.verification + place] ?? languages
      }
      place -= SHARES.verification
      if (place < SHARES.check) return checks[index % checks.length] ?? languages
      place -= SHARES.check
      if (place < SHARES.languages) return languages
      return excuses[index % excuses.length] ?? languages
    })
  },
}
