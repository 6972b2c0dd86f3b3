/** A reading of Prometheus's text format: https://prometheus.io/docs/instrumenting/exposition_formats/. */
export type Exposition = {
  /** Type and help by the name of the metric. */
  readonly metrics: ReadonlyMap<string, { type: string; help: string }>
  /** The value by name and labels, as they stand: `alibi_purchases{state="paid"}`. */
  readonly samples: ReadonlyMap<string, number>
}

const SAMPLE =
  /^(?<name>[a-z_:][a-z0-9_:]*)(?<labels>\{(?:[a-z_]+="[^"\\\n]*",?)+\})? (?<value>\S+)$/
const SUFFIX = /_(?:bucket|sum|count)$/

/** Throws for a line that makes no sense, for a repeated line, and for a sample of a metric that was not introduced. */
export function readExposition(text: string): Exposition {
  const metrics = new Map<string, { type: string; help: string }>()
  const samples = new Map<string, number>()
  const helps = new Map<string, string>()
  if (!text.endsWith('\n')) throw new Error('the last line is cut off')
  for (const line of text.split('\n').filter(Boolean)) {
    const [, help, helpText] = /^# HELP (\S+) (.+)$/.exec(line) ?? []
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (help && helpText) helps.set(help, helpText)
    else if (typed && type) {
      if (metrics.has(typed)) throw new Error(`${typed} is introduced twice`)
      metrics.set(typed, { type, help: helps.get(typed) ?? '' })
    } else {
      const { name = '', labels = '', value } = SAMPLE.exec(line)?.groups ?? {}
      if (!metrics.has(name) && metrics.get(name.replace(SUFFIX, ''))?.type !== 'histogram') {
        throw new Error(`nobody has introduced ${line}`)
      }
      const sample = name + labels
      if (samples.has(sample)) throw new Error(`${sample} comes twice`)
      const number = value === '+Inf' ? Infinity : Number(value)
      if (Number.isNaN(number)) throw new Error(`no number: ${line}`)
      samples.set(sample, number)
    }
  }
  return { metrics, samples }
}
