import type { Log, Supervisor } from '../../application/ports.ts'
import type { DatabaseHealth } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { Environment } from '../../infrastructure/config/config.ts'
import { DatabaseFilesReplaced } from '../../infrastructure/sqlite/files.ts'
import { isBusy } from '../../infrastructure/sqlite/storage-outage.ts'
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

/**
 * Throws where a restart may help. It does not throw where another process blocks the database. Nor does it where the
 * files were removed: this process has their last copy open, and the next process would begin with an empty database.
 */
export function livenessCheck({ databaseHealth }: { databaseHealth: DatabaseHealth }) {
  return async (): Promise<void> => {
    try {
      await databaseHealth.check()
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error
      if (cause instanceof DatabaseFilesReplaced || isBusy(cause)) return
      throw error
    }
  }
}
