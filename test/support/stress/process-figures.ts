import { readdirSync, readFileSync } from 'node:fs'

// What the kernel says about another process.

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: in hundredths of a second on every Linux there is. */
const TICK_MS = 10

export function hasProcessFigures(): boolean {
  try {
    return readdirSync('/proc/self/fd').length > 0
  } catch {
    return false
  }
}

/** Processor time so far, in milliseconds. */
export function processorMsOf(pid: number): number {
  // The name of the program, in brackets, may have spaces of its own.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kibibytes) * 1024
}

export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** How many this process may open, and so may those that it starts. */
export function descriptorsMax(): number {
  const [, most] = /^Max open files\s+([0-9]+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!
  return Number(most)
}
