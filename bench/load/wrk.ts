import { join } from 'node:path'
import { onLoadCore } from '../machine.ts'
import type { RequestFile } from './request-file.ts'

const CONNECTIONS = 64
/** Later than this, an answer counts as one that does not come. */
const PATIENCE_SECONDS = 60
const SCRIPT = join(import.meta.dir, 'requests.lua')

export const HOW_TO_INSTALL =
  'wrk is not installed. It is the load generator: apt-get install wrk (Debian, Ubuntu), brew install wrk (macOS).'

/** What one run of wrk has seen. Latencies are in milliseconds. */
export type LoadFigures = {
  readonly requests: number
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

type WrkReport = LoadFigures & {
  /** Answers with a status from 400 on. */
  readonly refused: number
  /** Connections that failed, and answers that never came. */
  readonly lost: number
  /** Answers that are not the expected ones, where that was looked at. */
  readonly unexpected: number
  readonly example: string
}

export type LoadOptions = {
  /** The most that it may take. */
  readonly seconds: number
  /** Ends after so many requests. */
  readonly amount?: number
  /** Sends so many, or fewer where the answers take too long for it. As fast as it can without this. */
  readonly perSecond?: number
  /** What every answer, a 200, has in its body. To look at that takes wrk too much time while it measures. */
  readonly expected?: string
}

export const hasWrk = () => Bun.which('wrk') !== null

/** Sends the requests over 64 connections. Throws where an answer is an error, does not come, or is unexpected. */
export async function load(
  url: string,
  { path, isRepeated }: RequestFile,
  { seconds, amount, perSecond, expected }: LoadOptions,
): Promise<LoadFigures> {
  const times = ['-d', `${seconds}s`, '--timeout', `${PATIENCE_SECONDS}s`]
  const options = ['-t', '1', '-c', String(CONNECTIONS), ...times, '-s', SCRIPT, url]
  const howMany = isRepeated ? String(amount ?? 'endless') : 'once'
  const parameters = [path, howMany, String(perSecond ?? 'fastest')]
  if (expected !== undefined) parameters.push(expected)
  const wrk = Bun.spawn(onLoadCore(['wrk', ...options, '--', ...parameters]), {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([
    new Response(wrk.stdout).text(),
    new Response(wrk.stderr).text(),
  ])
  const line = output.split('\n').find((one) => one.startsWith('{'))
  if ((await wrk.exited) !== 0 || !line) throw new Error(`wrk failed:\n${output}${errors}`)

  const report: WrkReport = JSON.parse(line)
  const { requests, refused, lost, unexpected, example } = report
  if (refused + lost + unexpected === 0) return report
  throw new Error(
    `${requests} answers: ${refused} errors, ${lost} lost, ${unexpected} unexpected: ${example}`,
  )
}
