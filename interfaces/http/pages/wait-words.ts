import type { Language } from '../../../domain/language.ts'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600

/** How long to wait, as people say it, but always in Latin digits. Rounded up: never too early. */
export function formatWait(seconds: number, language: Language): string {
  if (seconds < 2 * MINUTE_SECONDS) return formatUnit(seconds, 'second', language)
  if (seconds < 2 * HOUR_SECONDS) return formatUnit(seconds / MINUTE_SECONDS, 'minute', language)
  return formatUnit(seconds / HOUR_SECONDS, 'hour', language)
}

/** Keeps a value in one piece among words written in the other direction (Unicode FSI and PDI). */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`
}

function formatUnit(value: number, unit: 'second' | 'minute' | 'hour', language: Language): string {
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(`${language}-u-nu-latn`, style).format(Math.max(1, Math.ceil(value)))
}
