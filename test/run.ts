import { chmodSync, mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addLedgers, ledgerLines } from './support/answers/answer-ledger.ts'
import { sweepDrafts } from './support/checkout-cache.ts'
import { builtExecutable } from './support/executable/built.ts'
import { hasPostgres } from './support/postgres/binaries.ts'
import { startServer } from './support/postgres/server.ts'
import { watchInterruption } from './support/runner/interruption.ts'
import { runShard, type ShardResult } from './support/runner/run-shard.ts'
import {
  needsExecutable,
  needsPostgres,
  type Shard,
  shardsOf,
  testFiles,
} from './support/runner/test-files.ts'
import { closingLine, slowestLines } from './support/runner/test-report.ts'
import { openTemporaryFolder } from './support/temporary-folder.ts'

// `bun run test/run.ts [--loud] [PATH...]` runs the test files at or below the paths, or all of them. It uses as many
// processes as the machine has cores, or as TEST_WORKERS says, and one more for tests that mostly wait; those that need
// the machine for themselves come last, one by one. It prints the output of a shard when a test of it fails, and with
// --loud always. A run that is interrupted leaves nothing behind.

/** What a test says of a part that this machine has no means for. */
const MISSING = /^not (?:tested|applied) here: .*$/gm

const { values, positionals } = parseArgs({
  options: { loud: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const workers = Number(process.env['TEST_WORKERS'] ?? availableParallelism())
const startedAt = performance.now()
using folder = openTemporaryFolder('run')
// It has the folders of all tests, and programs that run as somebody else have to get there.
chmodSync(folder.path, 0o755)
const interruption = watchInterruption()
process.exitCode = await runChosen()
sweepDrafts({ withOwn: true })

/** Gives the exit code. */
async function runChosen(): Promise<number> {
  try {
    const shards = await runAll(testFiles(process.cwd(), positionals))
    if (!interruption.signal.aborted) return summarize(shards)
  } catch (error) {
    // What was cut off by the signal as well is no fault.
    if (!interruption.signal.aborted) throw error
  }
  const exitCode = await interruption.clear(folder.path)
  print(`\ninterrupted by ${interruption.signal.reason}`)
  return exitCode
}

/** Runs the files side by side, and prints each shard when it is over. */
async function runAll(files: readonly string[]): Promise<ShardResult[]> {
  const ledgers = join(folder.path, 'ledgers')
  mkdirSync(ledgers)
  const usesPostgres = needsPostgres(process.cwd(), files) && hasPostgres()
  await using postgres = usesPostgres ? await startServer() : null
  const env = {
    ...process.env,
    TMPDIR: folder.path,
    TEST_LEDGERS: ledgers,
    ...(postgres ? { TEST_POSTGRES: JSON.stringify(postgres) } : {}),
    ...(needsExecutable(files) ? { TEST_EXECUTABLE: await builtExecutable() } : {}),
  }
  const lanes = Object.groupBy(shardsOf(files), ({ lane }) => lane)
  const { working = [], waiting = [], alone = [] } = lanes
  const { signal } = interruption
  const done: ShardResult[] = []
  const missing = new Set<string>()

  async function work(next: () => Shard | undefined): Promise<void> {
    for (let shard = next(); shard && !signal.aborted; shard = next()) {
      const result = await runShard(shard, { folder: folder.path, env, signal })
      if (signal.aborted) return
      done.push(result)
      const count = done.reduce((sum, one) => sum + one.files.length, 0)
      printShard(result, `[${String(count).padStart(3)}/${files.length}]`, missing)
    }
  }

  // One process more has room beside the others as long as it hardly does anything.
  await Promise.all([
    ...Array.from({ length: workers }, () => work(() => working.shift() ?? waiting.shift())),
    work(() => waiting.shift()),
  ])
  await work(() => alone.shift())
  addLedgers(ledgers)
  return done
}

function printShard(result: ShardResult, progress: string, missing: Set<string>): void {
  const [first, ...others] = result.files
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  print(`${progress} ${result.took.toFixed(1).padStart(5)} s  ${first?.file}${more}`)
  if (values.loud || hasFailed(result)) print(result.output)
  if (result.trouble) print(result.trouble)
  if (result.note) print(result.note)
  for (const [line] of result.output.matchAll(MISSING)) {
    if (!missing.has(line)) print(line)
    missing.add(line)
  }
}

function hasFailed({ files, trouble }: ShardResult): boolean {
  return trouble !== null || files.some(({ failed }) => failed > 0)
}

/** Prints what the run comes to, and gives its exit code. */
function summarize(shards: readonly ShardResult[]): number {
  const files = shards.flatMap((shard) => shard.files)
  const failed = files.filter((file) => file.failed > 0).map(({ file }) => `  ${file}`)
  const troubled = shards.filter(({ trouble }) => trouble !== null)

  printList('Answers checked against the OpenAPI document:', ledgerLines())
  printList('The slowest files:', slowestLines(files))
  printList('Failed:', [...failed, ...troubled.map(({ trouble }) => `  ${trouble}`)])
  print(`\n${Math.round((performance.now() - startedAt) / 1000)} s in ${workers} processes`)
  print(closingLine(files, troubled.length))
  return shards.some(hasFailed) ? 1 : 0
}

function printList(heading: string, lines: readonly string[]): void {
  if (lines.length > 0) print(`\n${heading}\n${lines.join('\n')}`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
