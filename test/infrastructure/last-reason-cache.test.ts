import { expect, test } from 'bun:test'
import { parseEmail } from '../../domain/email.ts'
import { lastReasonCache } from '../../infrastructure/last-reason-cache.ts'

const reader = (number: number) => parseEmail(`reader-${number}@example.com`)

test('a reader’s last excuse is remembered in each language by itself', () => {
  const last = lastReasonCache({ readersMax: 10 })
  expect(last.find(reader(1), 'en')).toBeNull()
  last.remember(reader(1), 'en', 0)
  last.remember(reader(1), 'sv', 7)
  last.remember(reader(1), 'sv', 8)
  last.remember(reader(2), 'en', 5)
  expect(last.find(reader(1), 'en')).toBe(0)
  expect(last.find(reader(1), 'sv')).toBe(8)
  expect(last.find(reader(2), 'en')).toBe(5)
  expect(last.find(reader(2), 'sv')).toBeNull()
})

test('the reader who has been away longest is forgotten first, so that memory is bounded', () => {
  const last = lastReasonCache({ readersMax: 3 })
  for (const number of [1, 2, 3]) last.remember(reader(number), 'en', number)
  last.remember(reader(1), 'en', 9)
  last.remember(reader(4), 'en', 4)
  const known = [1, 2, 3, 4].map((number) => last.find(reader(number), 'en'))
  expect(known).toEqual([9, null, 3, 4])
})
