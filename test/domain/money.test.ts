import { describe, expect, test } from 'bun:test'
import { LANGUAGES, type Language } from '../../domain/language.ts'
import { amountsTaken, formatAmount, isCurrency, parseAmount } from '../../domain/money.ts'

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

describe('a price is read as people write it', () => {
  test.each([
    ['5', 'eur', 500],
    ['5.00', 'eur', 500],
    ['5,00', 'eur', 500],
    ['5,5', 'eur', 550],
    ['0.05', 'eur', 5],
    ['5,00 €', 'eur', 500],
    ['€5', 'eur', 500],
    [' 5.00\u00a0EUR ', 'eur', 500],
    ['eur 5', 'eur', 500],
    ['$4.99', 'usd', 499],
    ['25 kr', 'sek', 2500],
    ['12,50 zł', 'pln', 1250],
    ['CHF 5', 'chf', 500],
    ['￥500', 'jpy', 500],
    ['5', 'kwd', 5000],
    ['1.005', 'kwd', 1005],
    ['450', 'isk', 45_000],
  ])('%s in %s as %d', (text, currency, amount) => {
    expect(parseAmount(text, currency)).toBe(amount)
  })

  test.each([
    ['', 'eur'],
    ['five', 'eur'],
    ['-5', 'eur'],
    ['5.', 'eur'],
    ['.5', 'eur'],
    ['5e2', 'eur'],
    ['5.005', 'eur'],
    ['1,000', 'eur'],
    ['1.000,00', 'eur'],
    ['1 000', 'eur'],
    ['$5', 'eur'],
    ['5 USD', 'eur'],
    ['5.00', 'jpy'],
    ['5', 'xxx'],
    ['5', 'euro'],
  ])('%j in %s as none', (text, currency) => {
    expect(parseAmount(text, currency)).toBeNull()
  })

  test('as it is shown', () => {
    for (const currency of ['eur', 'usd', 'gbp', 'jpy', 'kwd', 'isk', 'huf', 'czk', 'xof']) {
      const { min } = amountsTaken(currency)
      expect(parseAmount(formatAmount({ amount: min, currency }, 'en'), currency)).toBe(min)
    }
  })
})

describe('what Stripe takes', () => {
  test.each([
    ['eur', 50, 1],
    ['gbp', 30, 1],
    ['jpy', 50, 1],
    ['huf', 17_500, 1],
    ['czk', 1500, 1],
    ['kwd', 10, 10],
    ['isk', 100, 100],
    ['ugx', 100, 100],
    ['try', 1, 1],
  ])('of %s is at least %d, in steps of %d', (currency, min, step) => {
    expect(amountsTaken(currency)).toEqual({ min, max: 99_999_999, step })
  })

  test.each(['eur', 'xof', 'xaf', 'xpf', 'xcd'])('is money: %s', (code) => {
    expect(isCurrency(code)).toBe(true)
  })

  test.each(['xxx', 'xts', 'xau', 'xdr', 'xyz', 'abc', 'euro', 'EUR', ''])(
    'is none: %j',
    (code) => {
      expect(isCurrency(code)).toBe(false)
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
