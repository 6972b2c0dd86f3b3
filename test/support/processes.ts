import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { hasCode } from '../../infrastructure/files/node-errors.ts'

type Process = { readonly pid: number; readonly parent: number; readonly state: string }

/** The processes that this one has started itself. */
export function childrenOf(parent: number): number[] {
  return processes()
    .filter((one) => one.parent === parent)
    .map(({ pid }) => pid)
}

/** Those as well that these have started, and so on. */
export function descendantsOf(ancestor: number): number[] {
  const all = processes()
  const found = new Set([ancestor])
  // A set goes on to what is added while it is gone through.
  for (const pid of found) {
    for (const one of all) if (one.parent === pid) found.add(one.pid)
  }
  return [...found].filter((pid) => pid !== ancestor)
}

/** False also for a process that has ended and whose end nobody has asked for. */
export function isRunning(pid: number): boolean {
  return runningOf([pid]).length > 0
}

/** Those of them that run, as one look at all processes says. */
export function runningOf(pids: Iterable<number>): number[] {
  const asked = new Set(pids)
  return processes()
    .filter(({ pid, state }) => asked.has(pid) && !/^[ZX]/.test(state))
    .map(({ pid }) => pid)
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** A small Linux has no `ps`. */
function processes(): Process[] {
  return existsSync('/proc/self/stat') ? processesOfLinux() : processesOfPs()
}

function processesOfLinux(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // The name of the program stands in parentheses and may have some of its own.
      const [state = '', parent] = statOf(name).split(') ').at(-1)?.split(' ') ?? []
      return state === '' ? [] : [{ pid: Number(name), parent: Number(parent), state }]
    })
}

/** Empty for a process that is gone meanwhile. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

function processesOfPs(): Process[] {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid=,state='])
  return String(stdout)
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state = '']) => ({ pid: Number(pid), parent: Number(parent), state }))
}
