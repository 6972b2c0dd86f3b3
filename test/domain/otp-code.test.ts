import { describe, expect, test } from 'bun:test'
import { DomainError } from '../../domain/errors.ts'
import { parseOtpCode } from '../../domain/otp.ts'

function refusal(input: string): unknown {
  try {
    return parseOtpCode(input)
  } catch (error) {
    return error
  }
}

function characters(pattern: RegExp): string[] {
  const found: string[] = []
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    if (pattern.test(character)) found.push(character)
  }
  return found
}

describe('parseOtpCode', () => {
  test.each([
    ['six digits', '123456', '123456'],
    ['leading zeros', '000000', '000000'],
    ['a space in the middle', '123 456', '123456'],
    ['a dash in the middle', '123-456', '123456'],
    ['an en dash', '123–456', '123456'],
    ['a non-breaking hyphen', '123\u2011456', '123456'],
    ['a minus sign', '123\u2212456', '123456'],
    ['a full-width dash', '１２３－４５６', '123456'],
    ['a narrow no-break space', '123\u202f456', '123456'],
    ['an ideographic space', '１２３　４５６', '123456'],
    ['spaces around', '  123456\t', '123456'],
    ['a line break from pasting', '123456\r\n', '123456'],
    ['every digit apart', '1 2 3-4 5 6', '123456'],
    ['64 characters of generous spacing', `${' '.repeat(29)}123456${' '.repeat(29)}`, '123456'],
    ['invisible marks from pasting', '\u200e\u2066123456\u2069\u200f\ufeff', '123456'],
    ['Arabic digits with a space', '١٢٣ ٤٥٦', '123456'],
    ['Persian digits', '۱۲۳۴۵۶', '123456'],
    ['Devanagari digits with a dash', '१२३-४५६', '123456'],
    ['full-width digits', '１２３４５６', '123456'],
    ['mathematical digits', '𝟏𝟐𝟑𝟜𝟝𝟞', '123456'],
    ['a mix of scripts', '1٢३４৫๖', '123456'],
  ])('reads %s', (_, input, code) => {
    expect(parseOtpCode(input) as string).toBe(code)
  })

  test.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['dashes', '------'],
    ['five digits', '12345'],
    ['seven digits', '1234567'],
    ['letters', '12345a'],
    ['a letter that looks like a digit', '12345O'],
    ['a sign', '+123456'],
    ['a decimal point', '123.456'],
    ['a comma', '123,456'],
    ['an exponent', '1e5000'],
    ['hexadecimal', '0x1234'],
    ['an underscore', '123_456'],
    ['a NUL', '123456\0'],
    ['a NUL in the middle', '123\x00456'],
    ['a fraction', '12345½'],
    ['a Roman numeral', '12345Ⅷ'],
    ['a lone surrogate', '12345\ud835'],
    ['two codes', '123456 123456'],
    ['a megabyte of digits', '1'.repeat(1_000_000)],
    ['a megabyte of blanks around a code', `${' '.repeat(1_000_000)}123456`],
  ])('refuses %s', (_, input) => {
    expect(refusal(input)).toEqual(new DomainError('invalid_code'))
  })

  test('reads every decimal digit that Unicode knows', () => {
    const digits = characters(/^\p{Nd}$/u)
    const unread = digits.filter(
      (digit) => !/^([0-9])\1{5}$/.test(String(refusal(digit.repeat(6)))),
    )
    expect(digits.length).toBeGreaterThanOrEqual(760)
    expect(unread.map((digit) => digit.codePointAt(0)?.toString(16))).toEqual([])
  })

  test('takes the digits of a script, which follow one another, for 0 to 9', () => {
    const digits = characters(/^\p{Nd}$/u)
    for (let start = 0; start < digits.length; start += 10) {
      const row = digits.slice(start, start + 10)
      const [zero = '', ...others] = row
      others.forEach((digit, index) => {
        expect(digit.codePointAt(0)).toBe((zero.codePointAt(0) ?? 0) + index + 1)
      })
      expect(parseOtpCode(row.slice(0, 6).join('')) as string).toBe('012345')
      expect(parseOtpCode(row.slice(4).join('')) as string).toBe('456789')
    }
  })

  test('reads digits as every numbering system of Unicode CLDR writes them', () => {
    const systems = Intl.supportedValuesOf('numberingSystem').filter((system) => {
      const written = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false }).format(
        1234567890,
      )
      return /^\p{Nd}+$/u.test(written)
    })
    expect(systems.length).toBeGreaterThan(50)

    for (const system of systems) {
      const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false })
      expect([system, refusal(format.format(123_456))]).toEqual([system, '123456'])
      expect([system, refusal(format.format(789_012))]).toEqual([system, '789012'])
    }
  })

  test('reads over every space and dash that Unicode knows', () => {
    const signs = [...characters(/^\p{Zs}$/u), ...characters(/^\p{Pd}$/u)]
    const stumbled = signs.filter((sign) => refusal(`123${sign}456`) !== '123456')
    expect(signs.length).toBeGreaterThan(40)
    expect(stumbled.map((sign) => sign.codePointAt(0)?.toString(16))).toEqual([])
  })
})
