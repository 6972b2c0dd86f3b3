// What every stress test prints: one line of what was seen.

export function printFigures(stress: string, figures: string): void {
  process.stdout.write(`stress, ${stress}: ${figures}\n`)
}

/** The value below which this share of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((left, right) => left - right)
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? 0
}

export function milliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`
}

export function seconds(value: number): string {
  return `${(value / 1000).toFixed(1)} s`
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`
}

/** So many of each, the most frequent first. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const ordered = [...counts].toSorted(([, left], [, right]) => right - left)
  return ordered.map(([value, count]) => `${count} × ${value}`).join(', ')
}
