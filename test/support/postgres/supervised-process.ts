import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../../infrastructure/files/node-errors.ts'
import { until } from '../executable/until.ts'
import { UNPRIVILEGED } from './unprivileged-account.ts'

/** PostgreSQL's documentation calls INT a fast and QUIT an immediate shutdown. */
export type StopSignal = 'INT' | 'QUIT' | 'TERM' | 'KILL'

/** A program in a folder of its own, which does not outlive the process that has started it. */
export type SupervisedProcess = {
  /** Of the program. */
  readonly pid: number
  readonly hasEnded: () => boolean
  /** Sends the signal, and resolves once the program has ended; at once where it has. */
  stop(signal: StopSignal): Promise<void>
}

const PID = 'supervised.pid'
const LOG = 'log'

/**
 * Runs a program until this process says by which signal it has to end. When this process is gone, however it ended,
 * the program is ended and the folder taken away. Ctrl-C goes to the shell as well, and must not keep it from that.
 */
const SUPERVISE = `
trap '' INT TERM HUP
folder=$1
shift
exec 3<&0 </dev/null
"$@" 3<&- >>"$folder/${LOG}" 2>&1 &
program=$!
echo "$program" >"$folder/${PID}"
(
  read -r signal <&3 || { signal=QUIT; : >"$folder/orphaned"; }
  kill "-$signal" "$program"
  kill -CONT "$program"
) 2>/dev/null &
reader=$!
exec 3<&-
wait "$program"
status=$?
kill -KILL "$reader" 2>/dev/null
[ -e "$folder/orphaned" ] && rm -rf "$folder"
exit $status
`

/** Starts the program, which writes to the log of the folder. The folder is the program's working directory. */
export async function startSupervised(
  folder: string,
  command: readonly string[],
): Promise<SupervisedProcess> {
  const pidFile = join(folder, PID)
  rmSync(pidFile, { force: true })
  const child = Bun.spawn(['sh', '-c', SUPERVISE, 'sh', folder, ...command], {
    ...spawnOptions(folder),
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await until('a program is started', () => readIfThere(pidFile).endsWith('\n'))
  return {
    pid: Number(readIfThere(pidFile)),
    hasEnded: () => child.exitCode !== null,
    async stop(signal) {
      try {
        child.stdin.write(`${signal}\n`)
        await child.stdin.end()
      } catch (error) {
        // Nobody reads it any more where the program has ended.
        if (!hasCode(error, 'EPIPE')) throw error
      }
      await child.exited
    },
  }
}

/** As whom, where and with which environment the programs of a folder run. */
export function spawnOptions(folder: string) {
  const { PATH = '' } = process.env
  return { cwd: folder, env: { PATH, LC_ALL: 'C' }, ...UNPRIVILEGED }
}

/** All that the programs of the folder have written. */
export function readLog(folder: string): string {
  return readIfThere(join(folder, LOG))
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
