// `bun run bench [NAME...]`: what requests cost, beside a bare Bun server in the same run. bench/README.md says how.

import { join } from 'node:path'
import { HOW_TO_INSTALL, hasWrk } from './load/wrk.ts'
import { describeMachine, fileSystemOf, leaveServerCore } from './machine.ts'
import { CLIENTS_OF_THE_LIMITER } from './measurements/clients.ts'
import { DATABASES } from './measurements/databases.ts'
import { FIRST_ANSWER } from './measurements/first-answer.ts'
import { GROWTH } from './measurements/growth.ts'
import { FILLED_HEADS } from './measurements/heads.ts'
import type { Measurement, Outcome } from './measurements/measurement.ts'
import { MEMORY } from './measurements/memory.ts'
import { METRICS } from './measurements/metrics.ts'
import { measureScenarios, SCENARIOS } from './measurements/scenarios.ts'
import { STEADY_WEBHOOKS } from './measurements/steady-webhooks.ts'
import { type Options, readOptions } from './options.ts'
import { withTable } from './report/document.ts'
import { printed } from './report/table.ts'
import { openRun } from './run/run.ts'

const MEASUREMENTS: readonly Measurement[] = [
  FIRST_ANSWER,
  MEMORY,
  CLIENTS_OF_THE_LIMITER,
  DATABASES,
  STEADY_WEBHOOKS,
  METRICS,
  FILLED_HEADS,
  GROWTH,
]
const PAGE = join(import.meta.dir, '../docs/performance.md')

const words = Bun.argv.slice(2)
const options = readOptions(words)
if (hasWrk()) await measure(options)
else {
  console.error(`Nothing is measured: ${HOW_TO_INSTALL}`)
  // Continuous integration goes on without it.
  process.exitCode = options.isShort ? 0 : 1
}

async function measure(options: Options): Promise<void> {
  const { scenarios, measurements } = chosen(options)
  leaveServerCore()
  await using run = await openRun(options)
  const machine = describeMachine(run.folder)
  console.log(machine)
  if (fileSystemOf(run.folder) === 'tmpfs') {
    console.log('Nothing is ever written to a disk there: name a folder on one with --folder.')
  }

  const outcomes: Outcome[] = []
  if (scenarios.length > 0) outcomes.push(tell(await measureScenarios(run, scenarios)))
  for (const measurement of measurements) outcomes.push(tell(await measurement.measure(run)))

  const command = ['bun run bench', ...words].join(' ')
  const on = new Date().toISOString().slice(0, 10)
  if (options.isWritten) await writePage(outcomes, `\`${command}\`, ${on}, ${machine}.`)
  if (options.json) {
    const raw = Object.fromEntries(outcomes.map(({ table, raw }) => [table.name, raw]))
    await Bun.write(options.json, JSON.stringify({ command, on, machine, ...raw }, null, 2))
  }
}

/** What was named, or what is measured without a name. Throws for a name that means nothing. */
function chosen({ names, isShort, isWritten }: Options) {
  const all = [...SCENARIOS, ...MEASUREMENTS].map(({ name }) => name)
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Error(`no ${unknown}: there are ${all.join(', ')}`)

  const isNamed = ({ name }: { name: string }) => names.includes(name)
  if (names.length > 0) {
    return { scenarios: SCENARIOS.filter(isNamed), measurements: MEASUREMENTS.filter(isNamed) }
  }
  return {
    scenarios: SCENARIOS.filter(({ isLong }) => !(isLong && isShort)),
    measurements: MEASUREMENTS.filter(
      ({ runs }) => runs === 'always' || isWritten || (runs === 'unless short' && !isShort),
    ),
  }
}

function tell(outcome: Outcome): Outcome {
  console.log(`\n${printed(outcome.table)}`)
  return outcome
}

async function writePage(outcomes: readonly Outcome[], source: string): Promise<void> {
  const page = await Bun.file(PAGE).text()
  // What could not be measured here stays as it is.
  const tables = outcomes.map(({ table }) => table).filter(({ rows }) => rows.length > 0)
  await Bun.write(
    PAGE,
    tables.reduce((text, table) => withTable(text, table, source), page),
  )
}
