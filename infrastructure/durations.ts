import type { SettingFormat } from './settings-source.ts'

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const EXAMPLES = '45s, 10m, 2h or 30d'
const LIMIT_MAX = 100_000
const WINDOW_MAX = '1d'

/** So many requests in any window of that length. */
export type RateLimit = { readonly limit: number; readonly windowMs: number }

/** `45s`, `10m`, `2h`, `30d` in milliseconds; undefined for anything else, 0 included. */
function parseDuration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,8})([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  return unitMs === undefined ? undefined : Number(count) * unitMs
}

/** In milliseconds, at most `max`, which is written like the setting itself. */
export function durationUpTo(max: string): SettingFormat<number> {
  return {
    shape: `a duration such as ${EXAMPLES}, at most ${max}`,
    parse: (text) => parseDurationUpTo(text, max),
  }
}

/** `10/15m`, or null for `off`. */
export const RATE_LIMIT: SettingFormat<RateLimit | null> = {
  shape: `N/DURATION such as 10/15m with N up to ${LIMIT_MAX} and at most ${WINDOW_MAX}, or off`,
  parse(text) {
    if (text === 'off') return null
    const [, count = '', duration = ''] = /^([1-9][0-9]{0,8})\/(.+)$/.exec(text) ?? []
    const windowMs = parseDurationUpTo(duration, WINDOW_MAX)
    const limit = Number(count)
    return windowMs === undefined || limit > LIMIT_MAX ? undefined : { limit, windowMs }
  },
}

function parseDurationUpTo(text: string, max: string): number | undefined {
  const duration = parseDuration(text)
  return duration !== undefined && duration <= (parseDuration(max) ?? 0) ? duration : undefined
}
