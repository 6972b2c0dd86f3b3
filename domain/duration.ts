const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** `45s`, `10m`, `12h`, `30d` in milliseconds. Null for anything else, 0 included. */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,8})([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  return unitMs === undefined ? null : Number(count) * unitMs
}
