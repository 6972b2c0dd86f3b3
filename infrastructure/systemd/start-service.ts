import { statSync } from 'node:fs'
import { readServiceState, UNIT_NAME } from './service-state.ts'
import type { Systemctl } from './systemctl.ts'

/**
 * Starts the service, or starts it anew where one of its files is newer than its start. Returns what that took;
 * `running` where it was left alone. Rejects where it does not start.
 */
export async function startService(
  systemctl: Systemctl,
  { isChanged, files }: { isChanged: boolean; files: readonly string[] },
): Promise<'started' | 'restarted' | 'running'> {
  const { active, state, since } = await readServiceState(systemctl)
  if (active && !isChanged && !isNewer(files, since)) return 'running'
  const runs = active || state.startsWith('activating')
  try {
    await systemctl(runs ? 'restart' : 'start', UNIT_NAME)
  } catch (error) {
    throw new Error('the service does not start: look at "journalctl -u alibi"', { cause: error })
  }
  return runs ? 'restarted' : 'started'
}

/** Whether an earlier run was ended after it had written, and before it could start the service anew. */
function isNewer(files: readonly string[], since: string | null): boolean {
  if (since === null) return false
  // systemd tells whole seconds.
  const startedAt = Math.floor(Date.parse(since) / 1000)
  return files.some((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats !== undefined && Math.floor(stats.mtimeMs / 1000) > startedAt
  })
}
