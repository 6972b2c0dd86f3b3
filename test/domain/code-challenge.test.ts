import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  findCodeVerifier,
  parseCodeChallenge,
  parseCodeVerifier,
} from '../../domain/code-challenge.ts'
import { DomainError } from '../../domain/errors.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'

const REFUSED = new DomainError('invalid_proof_key')

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const BASE64_URL = [...LETTERS_AND_DIGITS, '-', '_']
const UNRESERVED = [...LETTERS_AND_DIGITS, '-', '.', '_', '~']

const text = (characters: readonly string[], minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength })
const challenges = text(BASE64_URL, 43)
const verifiers = text(UNRESERVED, 43, 128)
const places = fc.nat({ max: 42 })

/** Any other character, of ASCII more often than not. */
const strangersTo = (characters: readonly string[]) =>
  fc
    .oneof(
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    )
    .filter((character) => !characters.includes(character))

function replaced(whole: string, index: number, character: string): string {
  return whole.slice(0, index) + character + whole.slice(index + 1)
}

describe('a code challenge', () => {
  test('is taken as it stands when it has 43 characters of base64url', () => {
    fc.assert(
      fc.property(challenges, (input) => expect(parseCodeChallenge(input) as string).toBe(input)),
    )
  })

  test('is refused with any other character in any place', () => {
    fc.assert(
      fc.property(challenges, places, strangersTo(BASE64_URL), (input, place, stranger) => {
        const spoilt = replaced(input, place, stranger)
        expect(() => parseCodeChallenge(spoilt)).toThrow(REFUSED)
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['a character too few', CHALLENGE.slice(1)],
    ['a character too many', `${CHALLENGE}A`],
    ['padding', `${CHALLENGE}=`],
    ['base64 that is not for URLs', CHALLENGE.replace('-', '+')],
    ['a space before it', ` ${CHALLENGE}`],
    ['a line break after it', `${CHALLENGE}\n`],
    ['a line of its own', `x\n${CHALLENGE}`],
    ['the digest in hexadecimal', 'a'.repeat(64)],
  ])('is refused: %s', (_, input) => {
    expect(() => parseCodeChallenge(input)).toThrow(REFUSED)
  })
})

describe('a code verifier', () => {
  test('is taken as it stands when it has 43 to 128 characters that URLs leave alone', () => {
    fc.assert(
      fc.property(verifiers, (input) => expect(parseCodeVerifier(input) as string).toBe(input)),
    )
    for (const length of [43, 128])
      expect(parseCodeVerifier('~'.repeat(length))).toHaveLength(length)
  })

  test('is refused with any other character in any place', () => {
    fc.assert(
      fc.property(verifiers, places, strangersTo(UNRESERVED), (input, place, stranger) => {
        const spoilt = replaced(input, place, stranger)
        expect(() => parseCodeVerifier(spoilt)).toThrow(REFUSED)
        expect(findCodeVerifier(spoilt)).toBeNull()
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['a character too few', VERIFIER.slice(1)],
    ['a character too many', 'a'.repeat(129)],
    ['a line break after it', `${VERIFIER}\n`],
    ['a line of its own', `x\n${VERIFIER}`],
  ])('is refused: %s', (_, input) => {
    expect(() => parseCodeVerifier(input)).toThrow(REFUSED)
    expect(findCodeVerifier(input)).toBeNull()
  })
})
