import { reportFault } from '../../application/error-report.ts'
import type { Log, Supervisor } from '../../application/ports.ts'
import type { Variables } from '../config/settings-source.ts'
import type { Notify } from './notify-socket.ts'

type Options = {
  readonly env: Variables
  /** The id of this process: the watchdog may be meant for another one. */
  readonly pid: number
  readonly log: Log
  /** Ways to send to the socket of this name, the best first. A way that cannot be used throws. */
  readonly ways: readonly ((name: string) => Notify)[]
}

const NO_SUPERVISOR: Supervisor = {
  watchdogTimeoutMs: null,
  starting() {},
  ready() {},
  pingWatchdog() {},
  stopping() {},
}

/**
 * The systemd that has started the process, by the protocol of sd_notify(3). Where systemd has not started it, nothing
 * is sent. Where systemd cannot be reached, that is logged, and nothing else happens.
 */
export function systemdSupervisor({ env, pid, log, ways }: Options): Supervisor {
  const { NOTIFY_SOCKET: name } = env
  if (!name) return NO_SUPERVISOR

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
    watchdogTimeoutMs: watchdogTimeout(env, pid),
    starting: (status, { withinMs }) =>
      void tell(`STATUS=${status}`, `EXTEND_TIMEOUT_USEC=${withinMs * 1000}`),
    ready: (status) => void tell('READY=1', `STATUS=${status}`),
    pingWatchdog: () => void tell('WATCHDOG=1'),
    stopping: (status) => void tell('STOPPING=1', `STATUS=${status}`),
  }
}

/** The first way that can be used; null when there is none. */
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

/** By the rules of sd_watchdog_enabled(3); null where systemd waits for no ping. */
function watchdogTimeout(env: Variables, pid: number): number | null {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: owner = String(pid) } = env
  if (owner !== String(pid) || !/^[1-9][0-9]{0,15}$/.test(microseconds)) return null
  return Number(microseconds) / 1000
}
