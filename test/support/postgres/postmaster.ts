import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../executable/until.ts'
import { childrenOf, isRunning, killIfThere } from '../processes.ts'
import {
  readLog,
  type SupervisedProcess,
  spawnOptions,
  startSupervised,
} from './supervised-process.ts'

export type Place = {
  /** Where the programs are. */
  readonly binaries: string
  /** Belongs to who runs PostgreSQL. It has the data, the unix socket and the log. */
  readonly folder: string
}

/** What a cluster is like; see `initdb --help`. */
const INITDB = ['--username=postgres', '--encoding=UTF8', '--no-locale', '--auth=scram-sha-256']

/** Runs initdb. Throws with what it says when it fails. */
export async function initializeCluster(
  { binaries, folder }: Place,
  { superuserPassword }: { superuserPassword: string },
): Promise<void> {
  const passwordFile = join(folder, 'password')
  await Bun.write(passwordFile, superuserPassword)
  const child = Bun.spawn(
    [
      ...[join(binaries, 'initdb'), '--pgdata', dataOf(folder), '--pwfile', passwordFile],
      // What this machine loses in a power cut is only a test.
      ...[...INITDB, '--no-sync'],
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
): Promise<SupervisedProcess> {
  const postmaster = await startSupervised(folder, [
    ...[join(binaries, 'postgres'), '-D', dataOf(folder)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  await until('PostgreSQL takes connections', () => {
    if (postmaster.hasEnded()) throw new Error(`PostgreSQL ended:\n${readLog(folder)}`)
    return takesConnections(folder, postmaster.pid)
  })
  return postmaster
}

/**
 * Kills it and everything that it has started, as a power cut does. What was started does not belong to its process
 * group, and would go on for a moment.
 */
export async function killPostmaster(
  { folder }: Place,
  postmaster: SupervisedProcess,
): Promise<void> {
  // Nothing new is started from now on.
  process.kill(postmaster.pid, 'SIGSTOP')
  const children = childrenOf(postmaster.pid)
  for (const child of children) killIfThere(child)
  await postmaster.stop('KILL')
  // It refuses to start beside a process of before.
  await until('its processes are gone', () => !children.some(isRunning))
  // Its memory is left, of which a system has only so many pieces. The seventh line ends in the id.
  const id = pidFileOf(folder)[6]?.trim().split(/\s+/)[1]
  if (id && Bun.which('ipcrm')) Bun.spawnSync(['ipcrm', '-m', id])
}

export function dataOf(folder: string): string {
  return join(folder, 'data')
}

/** What pg_ctl goes by, too: the eighth line. The file of one that was killed is still there. */
function takesConnections(folder: string, pid: number): boolean {
  const lines = pidFileOf(folder)
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

function pidFileOf(folder: string): string[] {
  const path = join(dataOf(folder), 'postmaster.pid')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}
