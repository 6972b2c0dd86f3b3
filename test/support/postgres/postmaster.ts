import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../executable/until.ts'
import { UNPRIVILEGED } from './unprivileged-account.ts'

/** How PostgreSQL is told to stop: its documentation calls INT a fast and QUIT an immediate shutdown. */
export type StopSignal = 'INT' | 'QUIT' | 'KILL'

/** A running PostgreSQL. */
export type Postmaster = {
  readonly pid: number
  /** Resolves once the process has ended. */
  readonly ended: Promise<unknown>
  /** Resolves once it has stopped. */
  stop(signal: StopSignal): Promise<void>
}

export type Place = {
  /** Where the programs are. */
  readonly binaries: string
  /** Belongs to who runs PostgreSQL. It has the data, the unix socket and the log. */
  readonly folder: string
}

/** Of what a cluster is made for: see `initdb --help`. */
const INITDB = ['--username=postgres', '--encoding=UTF8', '--no-locale', '--auth=scram-sha-256']

/**
 * Runs PostgreSQL until this process says how to stop it. When this process is gone, however it ended, PostgreSQL is
 * stopped and its folder taken away. Signals to the process group, as Ctrl-C sends them, must not come first.
 */
const SUPERVISE = `
trap '' INT TERM HUP
exec 3<&0 </dev/null
folder=$1
shift
"$@" 3<&- &
server=$!
(
  read -r signal <&3 || { signal=QUIT; : >"$folder/orphaned"; }
  kill "-$signal" "$server"
) 2>/dev/null &
reader=$!
exec 3<&-
wait "$server"
status=$?
kill -KILL "$reader" 2>/dev/null
[ -e "$folder/orphaned" ] && rm -rf "$folder"
exit $status
`

/** Runs initdb. Throws with what it says when it fails. */
export async function initializeCluster(
  { binaries, folder }: Place,
  { superuserPassword, sync }: { superuserPassword: string; sync: boolean },
): Promise<void> {
  const passwordFile = join(folder, 'password')
  await Bun.write(passwordFile, superuserPassword)
  const child = Bun.spawn(
    [
      ...[join(binaries, 'initdb'), '--pgdata', dataOf(folder), '--pwfile', passwordFile],
      ...[...INITDB, ...(sync ? [] : ['--no-sync'])],
    ],
    { ...spawnOptions(folder), stdout: 'ignore', stderr: 'pipe' },
  )
  const words = await child.stderr.text()
  await Bun.file(passwordFile).delete()
  if ((await child.exited) !== 0) throw new Error(`initdb failed:\n${words}`)
}

/** Starts it, and resolves once it takes connections. Throws with its log when it ends instead. */
export async function startPostmaster(
  { binaries, folder }: Place,
  settings: Readonly<Record<string, string>>,
): Promise<Postmaster> {
  const log = openSync(join(folder, 'log'), 'a')
  const child = Bun.spawn(
    [
      ...['sh', '-c', SUPERVISE, 'sh', folder, join(binaries, 'postgres'), '-D', dataOf(folder)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...spawnOptions(folder), stdin: 'pipe', stdout: log, stderr: log },
  )
  closeSync(log)
  await until('PostgreSQL takes connections', () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${readLog(folder)}`)
    return statusOf(folder) === 'ready'
  })
  return {
    pid: Number(pidFile(folder)[0]),
    ended: child.exited,
    async stop(signal) {
      child.stdin.write(`${signal}\n`)
      await child.stdin.end()
      await child.exited
    },
  }
}

/** All that it has written since the folder was made. */
export function readLog(folder: string): string {
  return readFileSync(join(folder, 'log'), 'utf8')
}

export function dataOf(folder: string): string {
  return join(folder, 'data')
}

/** What pg_ctl goes by, too: the eighth line says `ready` once connections are taken. */
function statusOf(folder: string): string | undefined {
  return pidFile(folder)[7]?.trim()
}

function pidFile(folder: string): string[] {
  const path = join(dataOf(folder), 'postmaster.pid')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}

function spawnOptions(folder: string) {
  const { PATH = '' } = process.env
  return { cwd: folder, env: { PATH, LC_ALL: 'C' }, ...UNPRIVILEGED }
}
