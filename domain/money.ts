import type { Language } from './language.ts'
import { numberFormat } from './number-format.ts'
import type { Price } from './order.ts'

// What Stripe counts an amount in differs from ISO 4217: https://docs.stripe.com/currencies#minor-units

const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '),
)
const WITH_THREE_DECIMALS: ReadonlySet<string> = new Set('bhd jod kwd omr tnd'.split(' '))
/** Stripe counts these in hundredths that no longer exist, and accepts only whole units. */
const WHOLE_IN_HUNDREDTHS: ReadonlySet<string> = new Set('isk ugx'.split(' '))

/** The least that Stripe takes: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const LEAST_AMOUNTS: readonly (readonly [number, string])[] = [
  [30, 'gbp'],
  [50, 'ars aud brl cad chf cop eur idr ils inr jpy krw nzd php rub sgd usd zar'],
  [200, 'aed myr pln ron'],
  [250, 'dkk'],
  [300, 'nok sek'],
  [400, 'hkd'],
  [1000, 'mxn thb'],
  [1500, 'czk'],
  [17_500, 'huf'],
]
/** The largest amount that Stripe takes: eight digits in the minor unit. */
const AMOUNT_MAX = 99_999_999

/** Whether it is a lower-case ISO 4217 code of money, and not of gold, of a test or of no currency at all. */
export function isCurrency(code: string): boolean {
  if (!/^(?:[a-wyz][a-z]{2}|x(?:af|cd|cg|of|pf))$/.test(code)) return false
  return Intl.supportedValuesOf('currency').includes(code.toUpperCase())
}

/** What Stripe takes in the currency, in minor units: multiples of `step` from `min` to `max`. */
export function amountsTaken(currency: string): { min: number; max: number; step: number } {
  const step = WHOLE_IN_HUNDREDTHS.has(currency) ? 100 : WITH_THREE_DECIMALS.has(currency) ? 10 : 1
  const [least = step] =
    LEAST_AMOUNTS.find(([, codes]) => codes.split(' ').includes(currency)) ?? []
  return { min: least, max: AMOUNT_MAX, step }
}

/** How many decimals an amount in minor units has in the currency, a lower-case ISO 4217 code. */
export function countDecimals(currency: string): number {
  if (WITHOUT_DECIMALS.has(currency)) return 0
  return WITH_THREE_DECIMALS.has(currency) ? 3 : 2
}

/**
 * In minor units what a person writes in units of the currency, with or without its code or sign, such as `5`, `5.00`
 * and `5,00 €`. Null for anything else, such as a separator of thousands: elsewhere it is that of the decimals.
 */
export function parseAmount(text: string, currency: string): number | null {
  const written = /^(\D*?)\s*(\d+)(?:[.,](\d+))?\s*(\D*)$/u.exec(plain(text))
  if (!written || !isCurrency(currency)) return null
  const [, before = '', units = '', parts = '', after = ''] = written
  const displays = ['code', 'symbol', 'narrowSymbol'] as const
  const signs = ['', ...displays.map((display) => plain(signOf(currency, display)))]
  const decimals = countDecimals(currency)
  const isRight = signs.includes(before) && signs.includes(after) && parts.length <= decimals
  return isRight ? Number(units + parts.padEnd(decimals, '0')) : null
}

function plain(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}

function signOf(currency: string, currencyDisplay: 'code' | 'symbol' | 'narrowSymbol'): string {
  const parts = numberFormat('en', { style: 'currency', currency, currencyDisplay }).formatToParts(
    0,
  )
  return parts.find(({ type }) => type === 'currency')?.value ?? ''
}

/** As people write money in that language, but always in Latin digits. */
export function formatAmount({ amount, currency }: Price, language: Language): string {
  const decimals = countDecimals(currency)
  const format = numberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    trailingZeroDisplay: WHOLE_IN_HUNDREDTHS.has(currency) ? 'stripIfInteger' : 'auto',
  })
  return format.format(amount / 10 ** decimals)
}
