import { once } from 'node:events'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../patience.ts'
import type { Shard } from './test-files.ts'
import { type FileResult, readReport } from './test-report.ts'

/** The result of a shard. */
export type ShardResult = {
  readonly files: readonly FileResult[]
  /** All that it has printed. */
  readonly output: string
  /** In seconds. */
  readonly took: number
  /** Why it failed although each of its files has passed. Null where it is not so. */
  readonly trouble: string | null
  /** What has to be known although nothing failed; null where there is no such thing. */
  readonly note: string | null
}

/** No time limit of a test ends one that never gives its thread back. */
const SILENCE_MAX_MS = 1.5 * TEST_LIMIT_MS

/** What is said in place of a report. */
const NO_TESTS = /^Ran 0 tests across \d+ files?\./m

type Means = {
  /** Where reports are put, under names of their own. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends what runs. */
  readonly signal: AbortSignal
}

/**
 * Runs the shard in a process of its own. When that ends without a report, each file is run again by itself, so that
 * only a file that crashes its process fails.
 */
export async function runShard(shard: Shard, means: Means): Promise<ShardResult> {
  const { result, isReported } = await runProcess(shard.files, means)
  if (isReported || shard.files.length === 1 || means.signal.aborted) return result

  const alone: ShardResult[] = []
  for (const file of shard.files) alone.push((await runProcess([file], means)).result)
  return {
    files: alone.flatMap(({ files }) => files),
    output: [result, ...alone].map(({ output }) => output).join('\n'),
    took: [result, ...alone].reduce((sum, { took }) => sum + took, 0),
    trouble: alone.find(({ trouble }) => trouble !== null)?.trouble ?? result.trouble,
    note: `ended without a report, and was run again file by file: ${shard.files.join(' ')}`,
  }
}

async function runProcess(
  files: readonly string[],
  { folder, env, signal }: Means,
): Promise<{ result: ShardResult; isReported: boolean }> {
  const report = join(folder, `${Bun.randomUUIDv7()}.xml`)
  const startedAt = performance.now()
  // The shell joins both streams, so that the output of a test stays beside its result.
  const child = Bun.spawn(
    [
      ...['sh', '-c', 'exec "$0" "$@" 2>&1', process.execPath, 'test'],
      `--timeout=${TEST_LIMIT_MS}`,
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      ...files.map((file) => `./${file}`),
    ],
    // Ctrl-C is for the run, which has to know what a test has started before that is left alone.
    { env, stdin: 'ignore', stdout: 'pipe', detached: true, signal, killSignal: 'SIGKILL' },
  )
  // What a test has started may hold its output open for longer than the test lives.
  const output = await Promise.race([readUntilSilent(child), aborted(signal)])
  await child.exited
  const end = child.signalCode ?? child.exitCode

  const hasReport = await Bun.file(report).exists()
  const isReported = hasReport || NO_TESTS.test(output)
  const written = readReport(hasReport ? await Bun.file(report).text() : '')
  // Of a file without a test that this machine can run there is no entry, either, but then all has gone well.
  const unwritten = { passed: 0, failed: isReported && end === 0 ? 0 : 1, skipped: 0, seconds: 0 }
  const results = files.map((file) => written.get(file) ?? { file, ...unwritten })
  const isPlain = end === 0 || results.some(({ failed }) => failed > 0)
  const result = {
    files: results,
    output: isReported ? output : `${output}\nbun test ended with ${end}\n`,
    took: (performance.now() - startedAt) / 1000,
    trouble: isPlain ? null : `bun test ended with ${end}: ${files.join(' ')}`,
    note: null,
  }
  return { result, isReported }
}

async function aborted(signal: AbortSignal): Promise<string> {
  if (!signal.aborted) await once(signal, 'abort')
  return ''
}

/** Reads to the end, and kills the process when it says nothing for too long. */
async function readUntilSilent(
  child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>,
): Promise<string> {
  const decoder = new TextDecoder()
  const kill = () => child.kill('SIGKILL')
  let silence = setTimeout(kill, SILENCE_MAX_MS).unref()
  let output = ''
  for await (const chunk of child.stdout) {
    clearTimeout(silence)
    silence = setTimeout(kill, SILENCE_MAX_MS).unref()
    output += decoder.decode(chunk, { stream: true })
  }
  clearTimeout(silence)
  return output
}
