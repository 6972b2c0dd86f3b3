import { LOG_EVENTS } from '../../application/log-events.ts'
import type { Log } from '../../application/ports.ts'
import type { Telemetry } from '../../application/telemetry.ts'

/**
 * The same log, and telemetry counts every warning and error, also those that LOG_LEVEL leaves out. What is in order
 * is not counted.
 */
export function countedLog(log: Log, telemetry: Telemetry): Log {
  return (event, fields) => {
    const { level } = LOG_EVENTS[event]
    if (level === 'warn' || level === 'error') telemetry.record({ kind: 'logged', level })
    log(event, fields)
  }
}
