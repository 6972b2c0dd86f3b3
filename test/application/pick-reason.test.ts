import { describe, expect, test } from 'bun:test'
import { pickReason } from '../../application/pick-reason.ts'
import { fakePorts } from '../fakes.ts'

const reasons = ['one', 'two', 'three', 'four', 'five']
const content = { ...fakePorts().content, reasons: () => reasons }

describe('pickReason', () => {
  test('speaks the language it was asked for', () => {
    expect(pickReason(fakePorts(), 'sv')).toMatch(/^sv /)
  })

  test('asks for an index among all of the excuses and takes that very one', () => {
    const bounds: number[] = []
    const picked = reasons.map((_, index) => {
      const randomIndex = (bound: number) => {
        bounds.push(bound)
        return index
      }
      const ports = fakePorts({ content })
      return pickReason({ ...ports, secrets: { ...ports.secrets, randomIndex } }, 'en')
    })
    expect(picked).toEqual(reasons)
    expect(new Set(bounds)).toEqual(new Set([reasons.length]))
  })

  test('gives each excuse as often as chance gives its index', () => {
    const ports = fakePorts({ content })
    const picked = Array.from({ length: 100 }, () => pickReason(ports, 'en'))
    for (const reason of reasons) expect(picked.filter((one) => one === reason)).toHaveLength(20)
  })

  test('is a fault, not an empty answer, where a language has no excuses', () => {
    const ports = fakePorts({ content: { ...content, reasons: () => [] } })
    expect(() => pickReason(ports, 'en')).toThrow('no excuses in en')
  })
})
