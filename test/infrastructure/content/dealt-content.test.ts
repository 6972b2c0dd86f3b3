import { describe, expect, test } from 'bun:test'
import { reasonPicker } from '../../../application/access/pick-reason.ts'
import { type Email, parseEmail } from '../../../domain/email.ts'
import { chooseExcuses, type ExcuseChoice, TAG_VALUES } from '../../../domain/excuse.ts'
import { LANGUAGES, type Language } from '../../../domain/language.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { readerDecks } from '../../../infrastructure/reader-decks.ts'
import { hmacSecrets } from '../../../infrastructure/secrets/hmac-secrets.ts'

const content = builtInContent()
const READERS = 10_000
const PRESSES = 300_000

/** The real thing: real chance, and the decks of as many readers as a service remembers. */
function open() {
  return reasonPicker({
    content,
    decks: readerDecks({ readersMax: READERS }),
    secrets: hmacSecrets({ secret: 'only the digests need it, and none is asked for' }),
  })
}

const reader = (number: number) => parseEmail(`reader-${number}@example.com`)

const FILTERS: ExcuseChoice[] = TAG_VALUES.occasion.flatMap((occasion) =>
  TAG_VALUES.to.flatMap((to) => [
    { tags: { occasion, to }, isShort: false, without: [] },
    { tags: { occasion, to }, isShort: false, without: ['child', 'pet', 'car', 'partner'] },
  ]),
)

describe.each([...LANGUAGES])('in %s', (language) => {
  test('three hundred presses of one reader give three hundred excuses', () => {
    const pick = open()
    const wish = { email: reader(1), language, choice: null }
    const had = Array.from({ length: 300 }, () => pick(wish).reason)
    expect(new Set(had).size).toBe(300)
  })

  test('a reader who asks by an occasion and a reader gets all that match before one comes again', () => {
    const pick = open()
    for (const [number, choice] of FILTERS.entries()) {
      const { places, widened } = chooseExcuses(content.in(language).excuses, choice)
      expect(widened).toEqual([])
      const wish = { email: reader(number), language, choice }
      for (let round = 0; round < 2; round += 1) {
        const had = new Set(places.map(() => pick(wish).reason))
        expect(had.size).toBe(places.length)
      }
    }
  })
})

test('300,000 presses of 10,000 readers give every excuse as often', () => {
  const pick = open()
  const language: Language = 'en'
  const { excuses } = content.in(language)
  const counts = new Map<string, number>(excuses.map(({ text }) => [text, 0]))
  const readers: Email[] = Array.from({ length: READERS }, (_, number) => reader(number))
  for (let press = 0; press < PRESSES; press += 1) {
    const { reason } = pick({ email: readers[press % READERS]!, language, choice: null })
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const expected = PRESSES / excuses.length
  const chiSquared = [...counts.values()]
    .map((count) => (count - expected) ** 2 / expected)
    .reduce((sum, one) => sum + one, 0)
  // Its mean is one less than the excuses, its deviation the root of twice that; seven deviations are no chance.
  const freedom = excuses.length - 1
  expect(chiSquared).toBeLessThan(freedom + 7 * Math.sqrt(2 * freedom))
  console.log(
    `${PRESSES} presses of ${READERS} readers: ${Math.min(...counts.values())} to ` +
      `${Math.max(...counts.values())} of each of ${excuses.length} excuses, chi-squared ${chiSquared.toFixed(0)}`,
  )
})
