import { reportFault } from '../../application/error-report.ts'
import type { Log, Supervisor } from '../../application/ports.ts'
import type { Variables } from '../config/settings-source.ts'
import type { Notify } from './notify-socket.ts'

type Options = {
  readonly env: Variables
  /** Of this process: the watchdog may be meant for another one. */
  readonly pid: number
  readonly log: Log
  /** Ways to a socket of this name, the best first. They throw where they are none. */
  readonly ways: readonly ((name: string) => Notify)[]
}

const NOBODY: Supervisor = {
  patienceMs: null,
  starting() {},
  ready() {},
  alive() {},
  stopping() {},
}

/**
 * The systemd that has started the process, by the protocol of sd_notify(3). Where none has, nothing is sent. Where it
 * cannot be reached, that is logged, and nothing else happens.
 */
export function systemdSupervisor({ env, pid, log, ways }: Options): Supervisor {
  const { NOTIFY_SOCKET: name } = env
  if (!name) return NOBODY

  const notify = openBest(name, ways, log)
  let isHeard = true
  async function tell(...assignments: readonly string[]): Promise<void> {
    try {
      await notify?.(assignments.join('\n'))
      isHeard = true
    } catch (error) {
      if (isHeard) log('systemd.notify_failed', reportFault(error))
      isHeard = false
    }
  }

  return {
    patienceMs: watchdogMs(env, pid),
    starting: (status, { withinMs }) =>
      void tell(`STATUS=${status}`, `EXTEND_TIMEOUT_USEC=${withinMs * 1000}`),
    ready: (status) => void tell('READY=1', `STATUS=${status}`),
    alive: () => void tell('WATCHDOG=1'),
    stopping: (status) => void tell('STOPPING=1', `STATUS=${status}`),
  }
}

/** The first way that there is; null when there is none. */
function openBest(name: string, ways: Options['ways'], log: Log): Notify | null {
  for (const open of ways) {
    try {
      return open(name)
    } catch (error) {
      log('systemd.socket_failed', reportFault(error))
    }
  }
  log('systemd.unreachable')
  return null
}

/** By the rules of sd_watchdog_enabled(3); null where no sign of life is waited for. */
function watchdogMs(env: Variables, pid: number): number | null {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: owner = String(pid) } = env
  if (owner !== String(pid) || !/^[1-9][0-9]{0,15}$/.test(microseconds)) return null
  return Number(microseconds) / 1000
}
