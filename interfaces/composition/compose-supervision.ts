import type { Log, Supervisor } from '../../application/ports.ts'
import type { Environment } from '../../infrastructure/config/config.ts'
import { openNotifyProgram } from '../../infrastructure/systemd/notify-program.ts'
import { openNotifySocket } from '../../infrastructure/systemd/notify-socket.ts'
import { systemdSupervisor } from '../../infrastructure/systemd/systemd-supervisor.ts'

/** The systemd that has started the process, where one has. */
export function composeSupervisor({
  environment,
  log,
}: {
  environment: Environment
  log: Log
}): Supervisor {
  const { env } = environment
  const ways = [openNotifySocket, openNotifyProgram]
  return systemdSupervisor({ env, pid: process.pid, log, ways })
}
