import type { Log, Supervisor } from '../../application/ports.ts'
import type { DatabaseHealth } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { Surroundings } from '../../infrastructure/config/config.ts'
import { FilesAreGone } from '../../infrastructure/sqlite/files.ts'
import { isBusy } from '../../infrastructure/sqlite/storage-outage.ts'
import { openNotifyProgram } from '../../infrastructure/systemd/notify-program.ts'
import { openNotifySocket } from '../../infrastructure/systemd/notify-socket.ts'
import { systemdSupervisor } from '../../infrastructure/systemd/systemd-supervisor.ts'

/** The systemd that has started the process, where one has. */
export function composeSupervisor({
  surroundings,
  log,
}: {
  surroundings: Surroundings
  log: Log
}): Supervisor {
  const { env } = surroundings
  const ways = [openNotifySocket, openNotifyProgram]
  return systemdSupervisor({ env, pid: process.pid, log, ways })
}

/**
 * Throws where a new start may help. It does not where another process keeps the database from answering, and not where
 * its files were taken away: this process has the last copy of them open, and the next one would begin with an empty
 * database.
 */
export function composeSoundness({ databaseHealth }: { databaseHealth: DatabaseHealth }) {
  return async (): Promise<void> => {
    try {
      await databaseHealth.check()
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error
      if (cause instanceof FilesAreGone || isBusy(cause)) return
      throw error
    }
  }
}
