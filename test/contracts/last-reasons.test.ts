import { describe, expect, test } from 'bun:test'
import type { LastReasons } from '../../application/ports.ts'
import { parseEmail } from '../../domain/email.ts'
import { memoryLastReasons } from '../../infrastructure/last-reasons.ts'
import { rememberedReasons } from '../fakes.ts'

const ada = parseEmail('ada@example.com')
const grace = parseEmail('grace@example.com')

describe.each([
  ['the fake', rememberedReasons],
  ['memory', () => memoryLastReasons({ readersMax: 10 })],
] as const satisfies [string, () => LastReasons][])('LastReasons on %s', (_, open) => {
  test('knows a reader’s last excuse in each language by itself', () => {
    const last = open()
    expect(last.find(ada, 'en')).toBeNull()
    last.remember(ada, 'en', 0)
    last.remember(ada, 'sv', 7)
    last.remember(ada, 'sv', 8)
    last.remember(grace, 'en', 5)
    expect(last.find(ada, 'en')).toBe(0)
    expect(last.find(ada, 'sv')).toBe(8)
    expect(last.find(grace, 'en')).toBe(5)
    expect(last.find(grace, 'sv')).toBeNull()
  })
})
