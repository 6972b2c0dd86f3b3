import { type Figures, figuresOf, type Rounds } from '../report/figures.ts'
import { measureRounds } from '../run/rounds.ts'
import type { Run } from '../run/run.ts'
import { MIX } from '../scenarios/mix.ts'
import { READING_SCENARIOS } from '../scenarios/reading.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { WRITING_SCENARIOS } from '../scenarios/writing.ts'
import type { Outcome } from './measurement.ts'

export const SCENARIOS: readonly Scenario[] = [...READING_SCENARIOS, ...WRITING_SCENARIOS, MIX]

const HEAD = [
  'request',
  'share of bare',
  'processor µs',
  "bare's µs",
  'p50 ms',
  'p99 ms',
  "of bare's p99",
  'MiB after',
  'a second',
  'of one fsync each',
]

/** What each kind of request costs, compared with a bare server. */
export async function measureScenarios(run: Run, scenarios: readonly Scenario[]): Promise<Outcome> {
  const measured: { name: string; about: string; rounds: Rounds; figures: Figures }[] = []
  for (const scenario of scenarios) {
    const { name, about } = scenario
    const rounds = await measureRounds(run, scenario)
    measured.push({ name, about, rounds, figures: figuresOf(rounds) })
  }
  const rows = measured.map(({ name, figures }) => [name, ...cells(figures)])
  return { table: { name: 'requests', head: HEAD, rows }, raw: measured }
}

function cells(figures: Figures): string[] {
  const { share, microseconds, bareMicroseconds, p50, p99, p99Multiple } = figures
  const { mebibytes, perSecond, singleCommitsMultiple } = figures
  return [
    share.toFixed(2),
    microseconds.toFixed(1),
    bareMicroseconds.toFixed(1),
    p50.toFixed(2),
    p99.toFixed(2),
    p99Multiple.toFixed(1),
    mebibytes.toFixed(0),
    perSecond.toFixed(0),
    singleCommitsMultiple?.toFixed(1) ?? '',
  ]
}
