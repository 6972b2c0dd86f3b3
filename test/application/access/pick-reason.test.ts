import { describe, expect, test } from 'bun:test'
import { pickReason } from '../../../application/access/pick-reason.ts'
import { parseEmail } from '../../../domain/email.ts'
import { contentWith, excuse, fakePorts } from '../../support/fakes.ts'

const email = parseEmail('ada@example.com')
const other = parseEmail('grace@example.com')
const reasons = ['one', 'two', 'three', 'four', 'five']
const content = contentWith({ excuses: reasons.map((text) => excuse(text)) })

/** The same numbers in every run, as good as random. */
const chance = (round: number) => Number(Bun.hash(String(round)) % 1_000_000n)

/** Ports whose chance gives one index after the other, and the bounds it was asked for. */
function scripted(indices: readonly number[], own: Parameters<typeof fakePorts>[0] = { content }) {
  const ports = fakePorts(own)
  const bounds: number[] = []
  const left = [...indices]
  const randomIndex = (bound: number) => {
    bounds.push(bound)
    return (left.shift() ?? 0) % bound
  }
  return { ports: { ...ports, secrets: { ...ports.secrets, randomIndex } }, bounds }
}

describe('pickReason', () => {
  test('speaks the language it was asked for', () => {
    expect(pickReason(fakePorts(), { email, language: 'sv' })).toEqual({
      reason: expect.stringMatching(/^sv /),
      language: 'sv',
    })
  })

  test('says which language it speaks where there is nothing in the one it was asked for', () => {
    const ports = fakePorts({ content: contentWith({ language: 'en', excuses: [excuse('one')] }) })
    expect(pickReason(ports, { email, language: 'sv' })).toMatchObject({ language: 'en' })
  })

  test('asks a new reader’s index among all of the excuses and takes that very one', () => {
    const picked = reasons.map((_, index) => {
      const { ports, bounds } = scripted([index])
      const { reason } = pickReason(ports, { email, language: 'en' })
      expect(bounds).toEqual([reasons.length])
      return reason
    })
    expect(picked).toEqual(reasons)
  })

  test('asks from then on among all others, each of which one index gives', () => {
    for (const [last, lastReason] of reasons.entries()) {
      const next = reasons.slice(1).map((_, index) => {
        const { ports, bounds } = scripted([last, index])
        expect(pickReason(ports, { email, language: 'en' }).reason).toBe(lastReason)
        const { reason } = pickReason(ports, { email, language: 'en' })
        expect(bounds).toEqual([reasons.length, reasons.length - 1])
        return reason
      })
      const others = reasons.filter((reason) => reason !== lastReason)
      expect(next.toSorted()).toEqual(others.toSorted())
    }
  })

  test('never gives a reader the same excuse twice in a row, and every one as often in the end', () => {
    const { ports } = scripted(Array.from({ length: 5000 }, (_, round) => chance(round)))
    const picked = Array.from({ length: 5000 }, () => pickReason(ports, { email, language: 'en' }))
    expect(picked.filter(({ reason }, index) => reason === picked[index - 1]?.reason)).toEqual([])
    for (const reason of reasons) {
      expect(picked.filter((one) => one.reason === reason).length).toBeWithin(900, 1101)
    }
  })

  test('minds each reader and each language by itself', () => {
    const { ports, bounds } = scripted([], {})
    pickReason(ports, { email, language: 'en' })
    pickReason(ports, { email: other, language: 'en' })
    pickReason(ports, { email, language: 'sv' })
    expect(bounds).toEqual([2, 2, 2])
  })

  test('gives the only excuse there is again and again', () => {
    const ports = fakePorts({ content: contentWith({ excuses: [excuse('only')] }) })
    const picked = [1, 2, 3].map(() => pickReason(ports, { email, language: 'en' }).reason)
    expect(picked).toEqual(['only', 'only', 'only'])
  })

  test('is a fault, not an empty answer, where a language has no excuses', () => {
    const ports = fakePorts({ content: contentWith({ excuses: [] }) })
    expect(() => pickReason(ports, { email, language: 'en' })).toThrow('no excuses in en')
  })
})
