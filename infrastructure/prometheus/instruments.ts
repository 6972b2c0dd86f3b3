import type { Registry } from 'prom-client'
// The whole of it also loads what pushes metrics and gathers them from other processes, and for that node's HTTP.
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'

/** Begins at zero for each known label: Prometheus sees no increase in a series that begins at 1. */
export function counter<Label extends string>(
  registry: Registry,
  {
    name,
    help,
    labels,
    beforeReading = () => {},
  }: {
    name: string
    help: string
    labels: Readonly<Record<Label, readonly string[]>>
    /** Adds what was counted elsewhere. */
    beforeReading?: (counter: Counter<Label>) => void
  },
): Counter<Label> {
  const labelNames = Object.keys(labels) as Label[]
  const collect = (): void => beforeReading(made)
  const made: Counter<Label> = new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect,
  })
  for (const combination of combinations(labels)) made.inc(combination, 0)
  return made
}

/** Every combination of one value for each label. */
function combinations<Label extends string>(
  labels: Readonly<Record<Label, readonly string[]>>,
): readonly Partial<Record<Label, string>>[] {
  return Object.entries<readonly string[]>(labels).reduce<
    readonly Partial<Record<Label, string>>[]
  >(
    (chosen, [label, values]) =>
      chosen.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  )
}

export function histogram<Label extends string>(
  registry: Registry,
  {
    name,
    help,
    labels,
    buckets,
  }: { name: string; help: string; labels: readonly Label[]; buckets: readonly number[] },
): Histogram<Label> {
  const registers = [registry]
  return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers })
}

type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number }

/** By name: what it says, and its value at this moment or, by label, several. With none there is no such metric. */
export type Gauges = Readonly<
  Record<string, readonly [help: string, values: number | null | readonly Sample[]]>
>

export function addGauges(registry: Registry, gauges: Gauges): void {
  for (const [name, [help, values]] of Object.entries(gauges)) {
    const samples = typeof values === 'number' ? [{ labels: {}, value: values }] : (values ?? [])
    const [first] = samples
    if (!first) continue
    const labelNames = Object.keys(first.labels)
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] })
    for (const { labels, value } of samples) gauge.set(labels, value)
  }
}

/** A value for each value of one label. */
export function byLabel(
  label: string,
  values: Readonly<Record<string, number>>,
): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}

/** Of milliseconds. A clock that was set back makes no negative time. */
export function seconds(ms: number): number {
  return Number.isFinite(ms) ? Math.max(0, ms) / 1000 : 0
}
