import type { Language } from './language.ts'
import { numberFormat } from './number-format.ts'
import type { Price } from './purchase.ts'

// What Stripe counts an amount in differs from ISO 4217: https://docs.stripe.com/currencies#minor-units

const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '),
)
const WITH_THREE_DECIMALS: ReadonlySet<string> = new Set('bhd jod kwd omr tnd'.split(' '))
/** Stripe counts these in hundredths that no longer exist, and accepts only whole units. */
const WHOLE_IN_HUNDREDTHS: ReadonlySet<string> = new Set('isk ugx'.split(' '))

/** How many decimals an amount in minor units has in the currency, a lower-case ISO 4217 code. */
export function countDecimals(currency: string): number {
  if (WITHOUT_DECIMALS.has(currency)) return 0
  return WITH_THREE_DECIMALS.has(currency) ? 3 : 2
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
