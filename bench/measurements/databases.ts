import { join } from 'node:path'
import { hasPostgres } from '../../test/support/postgres/binaries.ts'
import { median } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import { type Measured, type ServiceLoad, serviceLoad } from '../run/service-load.ts'
import { MIX } from '../scenarios/mix.ts'
import { READING_SCENARIOS } from '../scenarios/reading.ts'
import type { Scenario, Stage } from '../scenarios/scenario.ts'
import { WRITING_SCENARIOS } from '../scenarios/writing.ts'
import type { BenchDatabase } from '../seed/bench-database.ts'
import type { MeasuredAlibi } from '../servers/alibi.ts'
import { type MeasuredPostgres, startPostgres } from '../servers/postgres.ts'
import type { Measurement, Outcome } from './measurement.ts'
import { type Asked, countAsked } from './statements.ts'

const ADDRESSES = { whole: [1000, 1_000_000], short: [1000] }
const NAMES = {
  whole: [
    ...['premium-reasons', 'auth-check', 'success-page', 'verify-email', 'login', 'webhook'],
    'mix',
  ],
  short: ['premium-reasons', 'webhook'],
}
const SCENARIOS = [...READING_SCENARIOS, ...WRITING_SCENARIOS, MIX]
/** Of what the service bears on PostgreSQL. */
const PACE = 0.5

const HEAD = [
  'request',
  'addresses',
  'SQLite µs',
  'PostgreSQL µs',
  'ratio',
  "the server's µs",
  'a second, ratio',
  'p50 ms',
  "of SQLite's",
  'p99 ms',
  "of SQLite's",
  'statements',
  'round trips',
]

type Round = {
  readonly full: Measured
  readonly paced: Measured
  /** The processor time of the PostgreSQL server while the service was fully loaded. */
  readonly serverSeconds: number
}
type Rounds = { readonly sqlite: readonly Round[]; readonly postgres: readonly Round[] }

/** What requests cost on PostgreSQL, beside the same requests on SQLite in the same run. */
export const DATABASES: Measurement = {
  name: 'databases',
  runs: 'always',
  async measure(run: Run): Promise<Outcome> {
    if (!hasPostgres()) return { table: { name: 'databases', head: HEAD, rows: [] }, raw: [] }
    const size = run.options.isShort ? 'short' : 'whole'
    const scenarios = SCENARIOS.filter(({ name }) => NAMES[size].includes(name))
    await using postgres = await startPostgres()
    const measured = []
    for (const addresses of ADDRESSES[size]) {
      const database = await postgres.makeDatabase(run.executables.alibi, addresses)
      const asked = await countAsked(
        run,
        scenarios.filter((one) => one !== MIX),
        { database, addresses },
      )
      for (const scenario of scenarios) {
        const rounds = await measureBoth(run, scenario, { postgres, database, addresses })
        measured.push({ name: scenario.name, addresses, rounds, asked: asked.get(scenario.name) })
      }
    }
    const rows = measured.map(({ name, addresses, rounds, asked }) => [
      name,
      addresses.toLocaleString('en'),
      ...cells(rounds, asked),
    ])
    return { table: { name: 'databases', head: HEAD, rows }, raw: measured }
  },
}

/** Both services in turn, round by round. The one that is not under load stands still. */
async function measureBoth(
  run: Run,
  scenario: Scenario,
  {
    postgres,
    database,
    addresses,
  }: { postgres: MeasuredPostgres; database: BenchDatabase; addresses: number },
): Promise<Rounds> {
  const { rounds, seconds } = run.options
  const step = progress(`${scenario.name} on both databases, ${addresses} addresses`)
  step(0)
  const { writes } = scenario
  await using onSqlite = await run.startAlibi({ addresses, writes })
  const own = await warm(run, scenario, { alibi: onSqlite, addresses })
  onSqlite.pause()
  await using onPostgres = await run.startAlibi({ database })
  const other = await warm(run, scenario, { alibi: onPostgres, addresses })
  onPostgres.pause()

  const found = { sqlite: [] as Round[], postgres: [] as Round[] }
  async function timed(alibi: MeasuredAlibi, work: () => Promise<Measured>) {
    alibi.resume()
    const before = postgres.processorSeconds()
    const figures = await work()
    const serverSeconds = postgres.processorSeconds() - before
    alibi.pause()
    return { figures, serverSeconds }
  }
  for (let round = 0; round < rounds; round++) {
    const full = await timed(onPostgres, () => other.measure({ seconds }))
    const fullOwn = await timed(onSqlite, () => own.measure({ seconds }))
    const perSecond = Math.max(1, (PACE * full.figures.requests) / full.figures.seconds)
    const paced = await timed(onPostgres, () => other.measure({ seconds, perSecond }))
    const pacedOwn = await timed(onSqlite, () => own.measure({ seconds, perSecond }))
    found.postgres.push(roundOf(full, paced))
    found.sqlite.push(roundOf(fullOwn, pacedOwn))
    step((round + 1) / rounds)
  }
  onSqlite.resume()
  onPostgres.resume()
  return found
}

type Timed = { readonly figures: Measured; readonly serverSeconds: number }

function roundOf(full: Timed, paced: Timed): Round {
  return { full: full.figures, paced: paced.figures, serverSeconds: full.serverSeconds }
}

async function warm(
  run: Run,
  scenario: Scenario,
  { alibi, addresses }: { alibi: MeasuredAlibi; addresses: number },
): Promise<ServiceLoad> {
  const { url, database } = alibi
  const { tokens } = scenario
  const stage: Stage = { url, database, addresses, tokens, takeNumbers: run.takeNumbers }
  const path = join(run.folder, `requests-${run.takeNumbers(1)}`)
  return serviceLoad(scenario, { server: alibi, stage, path, isShort: run.options.isShort })
}

function cells({ sqlite, postgres }: Rounds, asked: Asked | undefined): string[] {
  const microseconds = ({ full }: Round) => (1e6 * full.busySeconds) / full.requests
  const ofServer = ({ full, serverSeconds }: Round) => (1e6 * serverSeconds) / full.requests
  const perSecond = ({ full }: Round) => full.requests / full.seconds
  const [p50, p99] = [({ paced }: Round) => paced.p50, ({ paced }: Round) => paced.p99]
  const ratioOf = (figure: (round: Round) => number) =>
    median(postgres.map((round, index) => figure(round) / figure(sqlite[index] ?? round)))
  return [
    median(sqlite.map(microseconds)).toFixed(0),
    median(postgres.map(microseconds)).toFixed(0),
    ratioOf(microseconds).toFixed(1),
    median(postgres.map(ofServer)).toFixed(0),
    ratioOf(perSecond).toFixed(2),
    median(postgres.map(p50)).toFixed(2),
    ratioOf(p50).toFixed(1),
    median(postgres.map(p99)).toFixed(2),
    ratioOf(p99).toFixed(1),
    asked?.statements.toFixed(1) ?? '',
    asked?.roundTrips.toFixed(1) ?? '',
  ]
}
