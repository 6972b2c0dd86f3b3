import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'

const CORES = availableParallelism()

/** Servers have the first core and everything else the second one, where there are two. */
const SERVER_CORE = '0'
const LOAD_CORE = '1'

export const isPinned = CORES > 1 && Bun.which('taskset') !== null

export const onServerCore = (command: readonly string[]) => pinned(SERVER_CORE, command)
export const onLoadCore = (command: readonly string[]) => pinned(LOAD_CORE, command)

function pinned(core: string, command: readonly string[]): string[] {
  return isPinned ? ['taskset', '-c', core, ...command] : [...command]
}

/** So that this very process is no load for the server. */
export function leaveServerCore(): void {
  if (isPinned) Bun.spawnSync(['taskset', '-a', '-cp', LOAD_CORE, String(process.pid)])
}

/** One line about what the figures were measured on. */
export function describeMachine(folder: string): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const place = isPinned ? 'servers on one core, load on another' : 'nothing pinned to a core'
  return `${CORES} cores (${model}), ${place}, databases on ${fileSystemOf(folder)}`
}

export function fileSystemOf(folder: string): string {
  const { stdout } = Bun.spawnSync(['stat', '-f', '-c', '%T', folder])
  return stdout.toString().trim() || 'an unknown file system'
}

const TICKS_PER_SECOND = 100

/** The time that a process has had on processors so far, in seconds. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The fields behind the name in brackets begin with the third (proc_pid_stat(5)); these are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The memory of a process that is in use at this moment, in MiB. */
export function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

/** The newest change of any file below the paths, in milliseconds since the Unix epoch. */
export function newestChange(root: string, paths: readonly string[]): number {
  const find = ['find', ...paths, '-type', 'f', '-printf', '%T@\n']
  const { stdout } = Bun.spawnSync(find, { cwd: root })
  const times = stdout.toString().trim().split('\n').map(Number)
  return 1000 * times.reduce((newest, time) => Math.max(newest, time), 0)
}
