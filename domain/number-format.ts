import type { Language } from './language.ts'

const formats = new Map<string, Intl.NumberFormat>()

/**
 * How people write numbers in that language, but always in Latin digits. To make one takes thirty times as long as
 * to use it, so each is made once: there are as many as languages, units and currencies in use.
 */
export function numberFormat(
  language: Language,
  options: Intl.NumberFormatOptions,
): Intl.NumberFormat {
  const name = language + JSON.stringify(options)
  const known = formats.get(name)
  if (known) return known
  const format = new Intl.NumberFormat(`${language}-u-nu-latn`, options)
  formats.set(name, format)
  return format
}
