import { expect, test } from 'bun:test'
import { assert, property, string } from 'fast-check'
import { sameText } from '../../domain/constant-time.ts'

test('texts are the same exactly when all their characters are', () => {
  assert(property(string(), string(), (left, right) => sameText(left, right) === (left === right)))
  assert(property(string(), (text) => sameText(text, `${text}`)))
})

test.each([
  ['012345', '012346'],
  ['012345', '112345'],
  ['012345', '01234'],
  ['', '0'],
  ['a', 'A'],
  ['\u0000', ''],
])('%j and %j differ', (left, right) => {
  expect(sameText(left, right)).toBe(false)
  expect(sameText(right, left)).toBe(false)
})
