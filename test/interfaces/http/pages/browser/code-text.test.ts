import { describe, expect, test } from 'bun:test'
import { findCode, readCode } from '../../../../../interfaces/http/pages/browser/code-text.ts'

describe('a code', () => {
  test.each([
    ['123456', '123456'],
    [' 123 456 ', '123456'],
    ['123-456', '123456'],
    ['١٢٣ ٤٥٦', '123456'],
    ['१२३४५६', '123456'],
    ['１２３４５６', '123456'],
  ])('typed or pasted as %j is %s', (text, code) => {
    expect(readCode(text)).toBe(code)
    expect(findCode(text)).toBe(code)
  })

  test.each([
    ['123456 is your Alibi code', '123456'],
    ['Your code: 123456.', '123456'],
    ['@alibi.example #123456', '123456'],
    ['Sent 2026-11-21 at 20:41. Your code is 123456, valid for 10 minutes.', '123456'],
    ['123456 is your Alibi code\nEnter this code: 123456', '123456'],
    ['رمزك هو ١٢٣٤٥٦', '123456'],
  ])('is found in %j', (text, code) => {
    expect(findCode(text)).toBe(code)
    expect(readCode(text)).toBeNull()
  })

  test.each([
    [''],
    ['12345'],
    ['1234567'],
    ['Sent 2026-11-21 at 20:41.'],
    ['Call 0800 123 456 7'],
    ['123456 or 654321'],
    ['no digits at all'],
  ])('is not seen in %j', (text) => {
    expect(findCode(text)).toBeNull()
  })
})
