import { expect, test } from 'bun:test'
import { formatWait } from '../../../../interfaces/http/pages/wait-words.ts'

test.each([
  [0, '1 second'],
  [0.4, '1 second'],
  [1, '1 second'],
  [41.2, '42 seconds'],
  [119.5, '120 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [7199, '120 minutes'],
  [7200, '2 hours'],
  [86_401, '25 hours'],
])('%d seconds are waited for as %s', (seconds, words) => {
  expect(formatWait(seconds, 'en')).toBe(words)
})

test('is written in the words of the language, and in Latin digits', () => {
  expect(formatWait(42, 'de')).toBe('42 Sekunden')
  expect(formatWait(42, 'ar')).toContain('42')
  expect(formatWait(42, 'hi')).toContain('42')
})
