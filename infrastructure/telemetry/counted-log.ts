import type { Log } from '../../application/ports.ts'
import type { Telemetry } from '../../application/telemetry.ts'

/** The same log, and telemetry hears of every warning and error: of one that LOG_LEVEL leaves out, too. What is in order is not counted. */
export function countedLog(log: Log, telemetry: Telemetry): Log {
  const counted =
    (level: 'warn' | 'error'): Log['warn'] =>
    (event, fields) => {
      telemetry.record({ kind: 'logged', level })
      log[level](event, fields)
    }
  return { ...log, warn: counted('warn'), error: counted('error') }
}
