import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { SECOND_MS } from '../../../domain/duration.ts'
import { descendantsOf, killIfThere, runningOf } from '../processes.ts'
import { sweepCgroups } from '../systemd/machine.ts'

/** Ctrl-C, `kill`, and the end of the terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** So long those have to end that notice by themselves that nobody holds them any more. */
const ENDING_MS = 2 * SECOND_MS

export type Interruption = {
  /** Aborted by the first of the signals, with its name as the reason. */
  readonly signal: AbortSignal
  /**
   * Ends what the run has started, and takes away what it has mounted in the folder. Gives the exit code, as a shell
   * counts it.
   */
  clear(folder: string): Promise<number>
}

/** From now on the signals end this process no more: who watches ends it. */
export function watchInterruption(): Interruption {
  const interruption = new AbortController()
  const started = new Set<number>()
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // What belongs to a process that has ended belongs to another one from then on.
      for (const pid of descendantsOf(process.pid)) started.add(pid)
      interruption.abort(signal)
    })
  }
  return {
    signal: interruption.signal,
    async clear(folder) {
      const endsAt = performance.now() + ENDING_MS
      while (runningOf(started).length > 0 && performance.now() < endsAt) await Bun.sleep(50)
      for (const pid of runningOf(started)) killIfThere(pid)
      unmountBelow(folder)
      sweepCgroups()
      const name: (typeof SIGNALS)[number] = interruption.signal.reason
      return 128 + constants.signals[name]
    },
  }
}

/** A test mounts small disks in its folder. */
function unmountBelow(folder: string): void {
  const mounts = '/proc/self/mounts'
  if (!existsSync(mounts)) return
  for (const line of readFileSync(mounts, 'utf8').split('\n')) {
    const target = line.split(' ')[1] ?? ''
    if (target.startsWith(`${folder}/`)) spawnSync('umount', ['-l', target])
  }
}
