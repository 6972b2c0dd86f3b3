import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseEmail } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'

const LOCAL_64 = 'a'.repeat(64)
const LABEL_63 = 'b'.repeat(63)
// 64 + 1 + 63 + 1 + 63 + 1 + 61 = 254 characters.
const ADDRESS_254 = `${LOCAL_64}@${LABEL_63}.${LABEL_63}.${'c'.repeat(58)}.de`
const KELVIN_SIGN = '\u212a'

const ACCEPTED: readonly (readonly [guarantee: string, input: string, normalised: string])[] = [
  ['an ordinary address is left alone', 'ada@example.com', 'ada@example.com'],
  ['both parts are lower-cased', 'Ada.Lovelace@EXAMPLE.Com', 'ada.lovelace@example.com'],
  ['spaces and tabs around are trimmed', ' \t ada@example.com\t \t', 'ada@example.com'],
  ['tags and dots are left alone', 'a.d.a+tag+x@example.com', 'a.d.a+tag+x@example.com'],
  ['every dot-atom character is allowed', "!#$%&'*+/=?^_`{|}~-@b.co", "!#$%&'*+/=?^_`{|}~-@b.co"],
  ['a local part may be one character', 'a@b.co', 'a@b.co'],
  ['a local part may have 64 characters', `${LOCAL_64}@b.co`, `${LOCAL_64}@b.co`],
  ['a label may have 63 characters', `a@${LABEL_63}.co`, `a@${LABEL_63}.co`],
  ['an address may have 254 characters', ADDRESS_254, ADDRESS_254],
  ['254 are counted after trimming', `  ${ADDRESS_254}\t`, ADDRESS_254],
  ['many labels are allowed', 'a@b.c.d.e.f.org', 'a@b.c.d.e.f.org'],
  ['a label may be a number, but the last', 'a@163.com', 'a@163.com'],
  ['a last label may hold digits', 'a@example.x1', 'a@example.x1'],
  ['hyphens inside a label are allowed', 'a@my--host.my-host.co', 'a@my--host.my-host.co'],
  ['an internationalised domain is kept in ASCII', 'a@exämple.com', 'a@xn--exmple-cua.com'],
  ['an internationalised domain is lower-cased', 'a@BÜCHER.DE', 'a@xn--bcher-kva.de'],
  ['a decomposed accent is the composed one', 'a@bu\u0308cher.de', 'a@xn--bcher-kva.de'],
  ['ß stays itself', 'a@straße.de', 'a@xn--strae-oqa.de'],
  ['the ASCII form is a spelling too', 'a@XN--BCHER-KVA.de', 'a@xn--bcher-kva.de'],
  ['an ideographic full stop separates labels', 'a@bücher。de', 'a@xn--bcher-kva.de'],
  ['full-width letters and dots are ordinary ones', 'a@ｂ．ｃｏ', 'a@b.co'],
  ['a half-width ideographic full stop separates too', 'a@b｡co', 'a@b.co'],
  ['a Kelvin sign in a domain is a k', `a@${KELVIN_SIGN}.co`, 'a@k.co'],
  ['a Japanese domain works', 'a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['an Arabic domain works', 'a@مثال.إختبار', 'a@xn--mgbh0fb.xn--kgbechtv'],
  ['a hyphen inside an internationalised label works', 'a@ü-a.de', 'a@xn---a-wka.de'],
]

const REFUSED: readonly (readonly [what: string, input: unknown])[] = [
  ['nothing', ''],
  ['blanks alone', ' \t '],
  ['no @', 'ada.example.com'],
  ['no local part', '@example.com'],
  ['no domain', 'ada@'],
  ['an @ alone', '@'],
  ['two @', 'ada@b@example.com'],
  ['two addresses', 'ada@b.co,bob@b.co'],
  ['a display name', 'Ada <ada@b.co>'],
  ['angle brackets', '<ada@b.co>'],
  ['a mailto: link', 'mailto:ada@b.co'],
  ['a comment', 'ada(x)@b.co'],
  ['a quoted local part', '"ada"@b.co'],
  ['a quoted local part with a space', '"a d a"@b.co'],
  ['a backslash', 'a\\da@b.co'],
  ['a space inside the local part', 'a da@b.co'],
  ['a space before the @', 'ada @b.co'],
  ['a space after the @', 'ada@ b.co'],
  ['a tab inside', 'a\tda@b.co'],
  ['a dot at the start', '.ada@b.co'],
  ['a dot before the @', 'ada.@b.co'],
  ['two dots in a row', 'a..da@b.co'],
  ['a line break at the end', 'ada@b.co\n'],
  ['a carriage return at the end', 'ada@b.co\r'],
  ['a line break behind blanks', 'ada@b.co \r\n '],
  ['a line break at the start', '\nada@b.co'],
  ['an injected header', 'ada@b.co\r\nBcc: eve@b.co'],
  ['a NUL', 'ada\0@b.co'],
  ['a NUL at the end', 'ada@b.co\0'],
  ['a delete character', 'ada@b.co\x7f'],
  ['a C1 control character', 'ada@b.co\u0085'],
  ['a no-break space around', '\u00a0ada@b.co'],
  ['an ideographic space around', 'ada@b.co\u3000'],
  ['a line separator around', 'ada@b.co\u2028'],
  ['a byte order mark', '\ufeffada@b.co'],
  ['a non-ASCII local part', 'adä@b.co'],
  ['a Kelvin sign in the local part', `${KELVIN_SIGN}ay@b.co`],
  ['a dotted capital I in the local part', '\u0130da@b.co'],
  ['a full-width local part', 'ａda@b.co'],
  ['a zero-width space in the local part', 'a\u200bda@b.co'],
  ['a Cyrillic a in the local part', '\u0430da@b.co'],
  ['a full-width @', 'ada＠b.co'],
  ['a lone surrogate in the local part', '\ud800@b.co'],
  ['a lone surrogate in the domain', 'ada@b\ud800.co'],
  ['a replacement character in the domain', 'ada@\ufffd.co'],
  ['a local part of 65 characters', `${LOCAL_64}a@b.co`],
  ['a label of 64 characters', `a@${LABEL_63}b.co`],
  ['an internationalised label of 64 characters in ASCII', `a@ü${'b'.repeat(56)}.co`],
  ['255 characters', ADDRESS_254.replace('.de', 'c.de')],
  ['255 characters only once in ASCII', ADDRESS_254.replace('ccccc.de', 'ü.de')],
  ['a domain without a dot', 'ada@localhost'],
  ['a dot at the end', 'ada@b.co.'],
  ['an ideographic full stop at the end', 'ada@b.co。'],
  ['a dot at the start of the domain', 'ada@.b.co'],
  ['an empty label', 'ada@b..co'],
  ['a hyphen at the start of a label', 'ada@-b.co'],
  ['a hyphen at the end of a label', 'ada@b-.co'],
  ['a hyphen at the start of the last label', 'ada@b.-co'],
  ['a hyphen at the end of the last label', 'ada@b.co-'],
  ['a hyphen at the start of an internationalised label', 'ada@-ü.de'],
  ['a hyphen at the end of an internationalised label', 'ada@ü-.de'],
  ['a full-width hyphen at the edge', 'ada@x。ü－．de'],
  ['a numeric last label', 'ada@b.123'],
  ['a full-width numeric last label', 'ada@b.１２３'],
  ['an IPv4 address', 'ada@127.0.0.1'],
  ['an IPv4 address in full-width digits', 'ada@１２７.０.０.１'],
  ['an IPv4 address in hexadecimal', 'ada@0x7f.1'],
  ['an IPv4 address as one number', 'ada@2130706433'],
  ['a last label that a URL reads as a number', 'ada@b.0x7f'],
  ['an IPv4 literal', 'ada@[127.0.0.1]'],
  ['an IPv6 literal', 'ada@[::1]'],
  ['a tagged IPv6 literal', 'ada@[IPv6:::1]'],
  ['a percent escape', 'ada@b%2eco.de'],
  ['an escaped letter', 'ada@%62.co'],
  ['a port', 'ada@b.co:25'],
  ['a full-width port', 'ada@b.co：25'],
  ['a path', 'ada@b.co/x'],
  ['a full-width path', 'ada@b.co／x'],
  ['a backslash path', 'ada@b.co\\x'],
  ['a query', 'ada@b.co?x'],
  ['a fragment', 'ada@b.co#x'],
  ['an account in the domain', 'ada@user:pass@b.co'],
  ['an underscore in the domain', 'ada@b_c.co'],
  ['a sign that unfolds into a slash', 'ada@\u2100.co'],
  ['a sign that unfolds into a dot', 'ada@b\u2024\u2024co'],
  ['Punycode of nothing', 'ada@xn--.co'],
  ['broken Punycode', 'ada@xn--a.co'],
  ['a mix of writing directions', 'ada@aא.co'],
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['an object', { toString: () => 'ada@b.co' }],
  ['an array', ['ada@b.co']],
  ['a boxed string', new String('ada@b.co')],
  ['a symbol', Symbol('ada@b.co')],
]

function refusal(input: unknown): unknown {
  try {
    return parseEmail(input)
  } catch (error) {
    return error
  }
}

describe('parseEmail', () => {
  test.each(ACCEPTED)('%s', (_, input, normalised) => {
    expect(parseEmail(input) as string).toBe(normalised)
  })

  test.each(REFUSED)('refuses %s', (_, input) => {
    expect(refusal(input)).toEqual(new DomainError('invalid_email'))
  })

  test.each([
    ['a long local part', `${'a'.repeat(1_000_000)}@b.co`],
    ['a long domain', `a@${'b.'.repeat(500_000)}co`],
    ['blanks', ' '.repeat(1_000_000)],
    ['blanks with an end', `a@b.co${' '.repeat(1_000_000)}x`],
    ['@ signs', '@'.repeat(1_000_000)],
    ['a long non-ASCII domain', `a@${'ü'.repeat(1_000_000)}.de`],
    // What looks at each character for each other one takes hours.
  ])('refuses a megabyte of %s before it costs anything', (_, input) => {
    expect(refusal(input)).toBeInstanceOf(DomainError)
  })

  const atomCharacters = [..."abcxyzABCXYZ019!#$%&'*+/=?^_`{|}~-"]
  const label = fc
    .string({ unit: fc.constantFrom(...'abkzABKZ019üÜéñ例'), minLength: 1, maxLength: 12 })
    .filter((text) => !/^[0-9]+$/.test(text))
  const address = fc
    .tuple(
      fc.array(
        fc.string({ unit: fc.constantFrom(...atomCharacters), minLength: 1, maxLength: 10 }),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(label, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('com', 'DE', 'Co'),
    )
    .map(([atoms, labels, last]) => ({
      local: atoms.join('.'),
      domain: [...labels, last].join('.'),
    }))

  test('its result is its own normal form', () => {
    fc.assert(
      fc.property(address, ({ local, domain }) => {
        const email = parseEmail(`${local}@${domain}`)
        expect(parseEmail(email)).toBe(email)
      }),
    )
  })

  test('letter case makes no other address', () => {
    fc.assert(
      fc.property(address, ({ local, domain }) => {
        const email = parseEmail(`${local}@${domain}`)
        expect(parseEmail(`${local}@${domain}`.toUpperCase())).toBe(email)
        expect(parseEmail(`${local}@${domain}`.toLowerCase())).toBe(email)
      }),
    )
  })

  test('the width of a domain makes no other address', () => {
    fc.assert(
      fc.property(address, ({ local, domain }) => {
        const wide = domain.replace(/[!-~]/g, (sign) =>
          String.fromCodePoint(sign.charCodeAt(0) - 0x21 + 0xff01),
        )
        expect(parseEmail(`${local}@${wide}`)).toBe(parseEmail(`${local}@${domain}`))
      }),
    )
  })

  test('a domain that the URL parser would change or refuse is never taken as it is', () => {
    const label = fc.string({ unit: fc.constantFrom(...'ax0-n'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 3 }), (labels) => {
        const domain = labels.join('.')
        const result = refusal(`a@${domain}`)
        if (result instanceof DomainError) return
        expect(result as string).toBe(`a@${new URL(`http://${domain}`).hostname}`)
      }),
      { numRuns: 1000 },
    )
  })

  test('whatever comes in, what comes out has the one ASCII form', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'a@.-1 \t%:/[]'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
      maxLength: 30,
    })
    const anything = fc.oneof(
      hostile,
      fc.tuple(hostile, hostile).map((parts) => `a${parts.join('@')}.co`),
      hostile.map((domain) => `a@${domain}.co`),
    )
    fc.assert(
      fc.property(anything, (input) => {
        const result = refusal(input)
        if (result instanceof DomainError) return
        expect(result).toMatch(
          /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?![0-9]+$)[a-z0-9-]{1,63}$/,
        )
        expect(parseEmail(result) as unknown).toBe(result)
      }),
      { numRuns: 1000 },
    )
  })
})
