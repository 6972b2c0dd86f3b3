/** Lengths of time in milliseconds. A day has 24 hours: no rule here follows a calendar. */
export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNITS_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

/** `45s`, `10m`, `12h`, `30d` in milliseconds. Null for anything else, 0 included. */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,8})([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  return unitMs === undefined ? null : Number(count) * unitMs
}
