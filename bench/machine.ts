import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Servers have one core and everything else has another, where there are two that this process may use. */
const CORES = allowedCores()
const [SERVER_CORE = '', LOAD_CORE = ''] = CORES

const isPinned = CORES.length > 1 && Bun.which('taskset') !== null

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
  const cores = CORES.length === 1 ? '1 core' : `${CORES.length} cores`
  return `${cores} (${model}), ${place}, databases on ${fileSystemOf(folder)}`
}

/** The numbers of the cores, from a list such as `0-3,8` (proc_pid_status(5)). */
function allowedCores(): readonly string[] {
  const status = readFileSync('/proc/self/status', 'latin1')
  const [, list = ''] = /^Cpus_allowed_list:\s+(\S+)/m.exec(status) ?? []
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
  })
}

export function fileSystemOf(folder: string): string {
  const { stdout } = Bun.spawnSync(['df', '--output=fstype', folder])
  return stdout.toString().trim().split('\n').at(-1) || 'an unknown file system'
}

const TICKS_PER_SECOND = 100

/** The time that a process has had on processors so far, in seconds. */
export function processorSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`)
}

/** That of its main thread alone: the others compile code and collect garbage. */
export function mainThreadSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`)
}

/** That of the processes that it has started, and that have ended. */
export function processorSecondsOfEnded(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`, 13)
}

/** The fields behind the name in brackets begin with the third (proc_pid_stat(5)); these are the 14th and 15th. */
function secondsIn(path: string, field = 11): number {
  const stat = readFileSync(path, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[field]) + Number(fields[field + 1])) / TICKS_PER_SECOND
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
