import { describe, expect, test } from 'bun:test'
import { LANGUAGES, type Language } from '../../domain/language.ts'
import { formatAmount } from '../../domain/money.ts'

/** With ordinary spaces, and without the marks that steer the direction of writing. */
function plain(amount: number, currency: string, language: Language): string {
  return formatAmount({ amount, currency }, language)
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/\p{Cf}/gu, '')
}

describe('an amount in cents is written as people write it', () => {
  test.each<[Language, string, string]>([
    ['en', 'eur', '€1,234.50'],
    ['fr', 'eur', '1 234,50 €'],
    ['es', 'eur', '1234,50 €'],
    ['de', 'eur', '1.234,50 €'],
    ['it', 'eur', '1234,50 €'],
    ['pt', 'brl', 'R$ 1.234,50'],
    ['nl', 'eur', '€ 1.234,50'],
    ['pl', 'pln', '1234,50 zł'],
    ['ru', 'eur', '1 234,50 €'],
    ['ja', 'eur', '€1,234.50'],
    ['zh', 'cny', '¥1,234.50'],
    ['ar', 'eur', '1,234.50 €'],
    ['hi', 'inr', '₹1,234.50'],
    ['tr', 'try', '₺1.234,50'],
    ['sv', 'sek', '1 234,50 kr'],
  ])('in %s: %s as %s', (language, currency, written) => {
    expect(plain(123_450, currency, language)).toBe(written)
  })

  test.each([
    [0, '€0.00'],
    [1, '€0.01'],
    [400, '€4.00'],
    [99_999_999, '€999,999.99'],
  ])('%d as %s', (amount, written) => {
    expect(plain(amount, 'eur', 'en')).toBe(written)
  })
})

describe('an amount is counted as Stripe counts that currency', () => {
  const WITHOUT_DECIMALS = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ')
  test.each(WITHOUT_DECIMALS)('%s in whole units', (currency) => {
    expect(plain(1500, currency, 'en')).toMatch(/^\D*1,500$/)
    expect(plain(1500, currency, 'de')).toMatch(/^1\.500\D*$/)
  })

  test.each(['bhd', 'jod', 'kwd', 'omr', 'tnd'])('%s in thousandths', (currency) => {
    expect(plain(1500, currency, 'en')).toMatch(/^\D*1\.500$/)
    expect(plain(1500, currency, 'de')).toMatch(/^1,500\D*$/)
  })

  test.each(['isk', 'ugx'])('%s in hundredths that are not shown', (currency) => {
    expect(plain(150_000, currency, 'en')).toMatch(/^\D*1,500$/)
    expect(plain(150_050, currency, 'en')).toMatch(/^\D*1,500\.50$/)
  })

  // Stripe pays these out in whole units, but charges them in hundredths as all the others.
  test.each(['huf', 'twd', 'usd', 'gbp', 'chf', 'cop', 'idr', 'aed'])(
    '%s in hundredths',
    (currency) => {
      expect(plain(1500, currency, 'en')).toMatch(/^\D*15\.00$/)
    },
  )
})

test.each([...LANGUAGES])(
  'in %s every digit is a Latin one, and the currency is named',
  (language) => {
    for (const currency of ['eur', 'usd', 'jpy', 'kwd', 'isk', 'inr', 'try']) {
      const written = formatAmount({ amount: 123_456_000, currency }, language)
      expect(written.replace(/[0-9]/g, '')).not.toMatch(/\p{Nd}/u)
      expect(written).toMatch(/[\p{Sc}\p{L}]/u)
    }
  },
)
