import { parseDuration } from '../../domain/duration.ts'
import type { SettingFormat } from './settings-source.ts'

const EXAMPLES = '45s, 10m, 2h or 30d'
const LIMIT_MAX = 100_000

/** So many requests in any window of that length. */
export type RateLimit = { readonly limit: number; readonly windowMs: number }

/** In milliseconds, at most `max`, which is written like the setting itself. */
export function durationUpTo(max: string): SettingFormat<number> {
  return {
    shape: `a duration such as ${EXAMPLES}, at most ${max}`,
    parse: (text) => parseDurationUpTo(text, max),
  }
}

/** `10/15m`, or null for `off`. */
export const RATE_LIMIT = limitFormat('10/15m', { windowMax: '1d' })
/** As `RATE_LIMIT`. Mail providers have plans for a month. */
export const MAIL_LIMIT = limitFormat('300/1h', { windowMax: '31d' })

function limitFormat(
  example: string,
  { windowMax }: { windowMax: string },
): SettingFormat<RateLimit | null> {
  return {
    shape: `N/DURATION such as ${example} with N up to ${LIMIT_MAX} and at most ${windowMax}, or off`,
    parse(text) {
      if (text === 'off') return null
      const [, count = '', duration = ''] = /^([1-9][0-9]{0,8})\/(.+)$/.exec(text) ?? []
      const windowMs = parseDurationUpTo(duration, windowMax)
      const limit = Number(count)
      return windowMs === undefined || limit > LIMIT_MAX ? undefined : { limit, windowMs }
    },
  }
}

function parseDurationUpTo(text: string, max: string): number | undefined {
  const duration = parseDuration(text)
  return duration !== null && duration <= (parseDuration(max) ?? 0) ? duration : undefined
}
