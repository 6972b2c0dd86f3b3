import { expect, test } from 'bun:test'
import { assert, property, string } from 'fast-check'
import { equalInConstantTime } from '../../domain/constant-time.ts'

test('texts are the same exactly when all their characters are', () => {
  assert(
    property(
      string(),
      string(),
      (left, right) => equalInConstantTime(left, right) === (left === right),
    ),
  )
  assert(property(string(), (text) => equalInConstantTime(text, `${text}`)))
})

test.each([
  ['012345', '012346'],
  ['012345', '112345'],
  ['012345', '01234'],
  ['', '0'],
  ['a', 'A'],
  ['\u0000', ''],
])('%j and %j differ', (left, right) => {
  expect(equalInConstantTime(left, right)).toBe(false)
  expect(equalInConstantTime(right, left)).toBe(false)
})
