// `bun run bench [SCENARIO...]`: what a request costs, beside a bare Bun server in the same run. See bench/README.md.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { HOW_TO_INSTALL, hasWrk } from './load/wrk.ts'
import { describeMachine, leaveServerCore } from './machine.ts'
import { figuresOf } from './report/figures.ts'
import { measureRounds } from './rounds.ts'
import { MIX } from './scenarios/mix.ts'
import { READING_SCENARIOS } from './scenarios/reading.ts'
import { WRITING_SCENARIOS } from './scenarios/writing.ts'
import { copyDatabase, filledDatabase } from './seed/database.ts'
import { startAlibi } from './servers/alibi.ts'
import { startBare } from './servers/bare.ts'
import { alibiExecutable, bareExecutable } from './servers/executables.ts'
import { startProviders } from './servers/providers.ts'

const SCENARIOS = [...READING_SCENARIOS, ...WRITING_SCENARIOS, MIX]
const FIRST_NUMBER = 50_000_000

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    addresses: { type: 'string', default: '1000000' },
    binary: { type: 'string' },
  },
  allowPositionals: true,
})
if (!hasWrk()) throw new Error(HOW_TO_INSTALL)
leaveServerCore()
const executable = values.binary ?? alibiExecutable()
const cache = join(tmpdir(), `alibi-bench-${userInfo().uid}`)
const addresses = Number(values.addresses)
const folder = mkdtempSync(join(tmpdir(), 'alibi-bench-run-'))
try {
  const filled = filledDatabase(executable, { addresses, folder: cache })
  console.log(describeMachine(folder))
  console.log(
    `${'scenario'.padEnd(24)} share   CPU us  bare   p50 ms   p99 ms  of bare's  MiB    per second`,
  )
  await using bare = await startBare(bareExecutable())
  await using providers = await startProviders()
  const named = SCENARIOS.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  let number = FIRST_NUMBER
  for (const scenario of named) {
    const database = scenario.writes ? copyDatabase(filled, join(folder, scenario.name)) : filled
    await using alibi = await startAlibi(executable, { database, folder, providers })
    const stage = {
      url: alibi.url,
      database,
      addresses,
      tokens: scenario.tokens,
      takeNumbers(amount: number) {
        number += amount
        return number - amount
      },
    }
    const rounds = await measureRounds(scenario, {
      stage,
      servers: { bare, alibi },
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      folder,
    })
    const one = figuresOf(rounds)
    console.log(
      `${scenario.name.padEnd(24)} ${one.share.toFixed(3)} ${one.microseconds.toFixed(1).padStart(8)} ${one.bareMicroseconds.toFixed(1).padStart(5)} ${one.p50.toFixed(2).padStart(8)} ${one.p99.toFixed(2).padStart(8)} ${one.p99Multiple.toFixed(1).padStart(8)} ${one.mebibytes.toFixed(0).padStart(6)} ${one.perSecond.toFixed(0).padStart(10)}`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
