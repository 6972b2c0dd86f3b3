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
  'p99 ms at half',
  "of bare's at half",
  'MiB after',
  'a second',
  'of one fsync each',
]

/** Below it, the bare server was not what bounded its own answers. */
const BUSY_MIN = 0.9

function idleWarning(name: string, busy: number): string {
  const percent = (100 * busy).toFixed(0)
  return `${name}: the bare server had its core ${percent} % of the time, so the share is too large. Is the machine busy?`
}

/** What each kind of request costs, compared with a bare server. */
export async function measureScenarios(run: Run, scenarios: readonly Scenario[]): Promise<Outcome> {
  const measured: { name: string; about: string; rounds: Rounds; figures: Figures }[] = []
  for (const scenario of scenarios) {
    const { name, about } = scenario
    const rounds = await measureRounds(run, scenario)
    const figures = figuresOf(rounds)
    if (figures.bareBusy < BUSY_MIN) console.log(idleWarning(name, figures.bareBusy))
    measured.push({ name, about, rounds, figures })
  }
  const rows = measured.map(({ name, figures }) => [name, ...cells(figures)])
  return { table: { name: 'requests', head: HEAD, rows }, raw: measured }
}

function cells(figures: Figures): string[] {
  const { share, microseconds, bareMicroseconds } = figures
  const { p50, p99, p99Multiple, p99AtHalf, p99AtHalfMultiple } = figures
  const { mebibytes, perSecond, singleCommitsMultiple } = figures
  return [
    share.toFixed(2),
    microseconds.toFixed(1),
    bareMicroseconds.toFixed(1),
    p50.toFixed(2),
    p99.toFixed(2),
    p99Multiple.toFixed(1),
    p99AtHalf.toFixed(2),
    p99AtHalfMultiple.toFixed(1),
    mebibytes.toFixed(0),
    perSecond.toFixed(0),
    singleCommitsMultiple?.toFixed(1) ?? '',
  ]
}
