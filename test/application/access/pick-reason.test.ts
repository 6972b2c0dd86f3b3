import { describe, expect, test } from 'bun:test'
import { reasonPicker } from '../../../application/access/pick-reason.ts'
import { parseEmail } from '../../../domain/email.ts'
import { chooseExcuses, type ExcuseChoice } from '../../../domain/excuse.ts'
import type { Language } from '../../../domain/language.ts'
import { contentWith, excuse, fakePorts } from '../../support/fakes.ts'
import { seededRandom } from '../../support/seeded-random.ts'

const email = parseEmail('ada@example.com')
const other = parseEmail('grace@example.com')
const OCCASIONS = ['late', 'cancel', 'decline']
const excuses = Array.from({ length: 30 }, (_, place) =>
  excuse(`number ${place}`, {
    tags: { occasion: [OCCASIONS[place % 3] ?? ''], to: ['work'], tone: ['plain'] },
    needs: place % 10 === 0 ? ['car'] : [],
  }),
)
const content = contentWith({ excuses })
const choice = (own: Partial<ExcuseChoice>): ExcuseChoice => ({
  tags: {},
  isShort: false,
  without: [],
  ...own,
})
const LATE = choice({ tags: { occasion: 'late' } })
const WORK = choice({ tags: { to: 'work' }, without: ['car'] })

/** A picker whose chance is the same in every run, and as good as random. */
function open(own: Parameters<typeof fakePorts>[0] = { content }) {
  const ports = fakePorts(own)
  const { below: randomIndex } = seededRandom(17)
  const pick = reasonPicker({ ...ports, secrets: { ...ports.secrets, randomIndex } })
  return (reader = email, wish: ExcuseChoice | null = null, language: Language = 'en') =>
    pick({ email: reader, language, choice: wish })
}

const texts = (count: number, pick: () => { reason: string }) =>
  Array.from({ length: count }, () => pick().reason)

describe('reasonPicker', () => {
  test('speaks the language it was asked for', () => {
    expect(open({})(email, null, 'sv')).toEqual({
      reason: expect.stringMatching(/^sv /),
      language: 'sv',
      widened: [],
    })
  })

  test('says which language it speaks where there is nothing in the one it was asked for', () => {
    const pick = open({ content: contentWith({ language: 'en', excuses }) })
    expect(pick(email, null, 'sv')).toMatchObject({ language: 'en' })
  })

  test('gives a reader every excuse before one comes again, round after round', () => {
    const pick = open()
    for (let round = 0; round < 3; round += 1) {
      expect(new Set(texts(30, pick)).size).toBe(30)
    }
  })

  test('gives none again before all that match were had, whatever else is asked for between', () => {
    const pick = open()
    const { below, pick: anyOf } = seededRandom(1)
    const choices = [
      null,
      LATE,
      WORK,
      choice({ tags: { occasion: 'cancel' } }),
      choice({ without: ['car'] }),
    ]
    const lastHad = new Map<string, number>()
    for (let turn = 0; turn < 2000; turn += 1) {
      const wish = below(3) === 0 ? anyOf(choices) : LATE
      const { reason } = pick(email, wish)
      const matching = wish
        ? chooseExcuses(excuses, wish).places.map((place) => `number ${place}`)
        : excuses.map(({ text }) => text)
      const longestAgo = Math.min(...matching.map((text) => lastHad.get(text) ?? -1))
      expect(matching).toContain(reason)
      expect(lastHad.get(reason) ?? -1).toBe(longestAgo)
      lastHad.set(reason, turn)
    }
  })

  test('gives what was never had, in any choice, before what was', () => {
    const pick = open()
    const late = texts(10, () => pick(email, LATE))
    expect(new Set(late).size).toBe(10)
    const rest = texts(20, pick)
    expect(rest.filter((text) => late.includes(text))).toEqual([])
    expect(new Set(rest).size).toBe(20)
  })

  test('gives other readers another order', () => {
    const pick = open()
    const ours = texts(30, pick)
    const theirs = texts(30, () => pick(other))
    expect(theirs).not.toEqual(ours)
    expect(theirs.toSorted()).toEqual(ours.toSorted())
  })

  test('gives every excuse as often as any other', () => {
    const pick = open()
    const counts = new Map<string, number>()
    for (let reader = 0; reader < 3000; reader += 1) {
      const { reason } = pick(parseEmail(`reader-${reader}@example.com`))
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
    expect(counts.size).toBe(30)
    for (const count of counts.values()) expect(count).toBeWithin(60, 145)
  })

  test('gives only what matches, and says what it let go of', () => {
    const pick = open()
    const matching = texts(9, () => pick(email, choice({ ...LATE, without: ['car'] })))
    expect(matching.every((text) => Number(text.slice('number '.length)) % 3 === 0)).toBe(true)
    expect(matching.some((text) => text.endsWith('0'))).toBe(false)
    const formal = choice({ tags: { occasion: 'late', tone: 'formal' }, isShort: true })
    expect(pick(email, formal).widened).toEqual(['length', 'tone'])
  })

  test('remembers no words that no excuse supposes, and not too many choices', () => {
    const pick = open()
    const unheard = (number: number) => choice({ ...LATE, without: [`thing-${number}`] })
    const seen = new Set<string>()
    for (let number = 0; number < 2000; number += 1) seen.add(pick(email, unheard(number)).reason)
    expect(seen.size).toBe(10)
  })

  test('gives the only excuse there is again and again', () => {
    const pick = open({ content: contentWith({ excuses: [excuse('only')] }) })
    expect(texts(3, pick)).toEqual(['only', 'only', 'only'])
  })

  test('is a fault, not an empty answer, where a language has no excuses', () => {
    const pick = open({ content: contentWith({ excuses: [] }) })
    expect(() => pick()).toThrow('no excuses in en')
  })
})
