import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { UninstallReport } from '../../application/upkeep/reports.ts'
import { removeStaleDrafts } from '../files/drafts.ts'
import { PLACES } from './installed-files.ts'
import { isThere } from './place-file.ts'
import { readServiceState, UNIT_NAME } from './service-state.ts'
import type { Systemctl } from './systemctl.ts'

const OURS = [PLACES.enabled, PLACES.unit, PLACES.completion, PLACES.executable, PLACES.previous]

/** The operator's: settings and secrets, changes to the unit, the database and its backups. */
const THEIRS = ['/etc/alibi', `${PLACES.unit}.d`, PLACES.data]

/** Whether there is anything for `uninstallService` to remove. */
export function isServiceInstalled(root: string): boolean {
  return OURS.some((path) => isThere(join(root, path)))
}

/**
 * Stops the service, disables it, and removes what `installService` has put below `root`, except the operator's files.
 * May be repeated. Throws when the service does not stop, with everything still in place.
 */
export async function uninstallService({
  root,
  systemctl,
}: {
  root: string
  /** Null where `root` is no running system. */
  systemctl: Systemctl | null
}): Promise<UninstallReport> {
  const isKnown = systemctl !== null && (await stop(systemctl, root))
  const removed = OURS.filter((path) => isThere(join(root, path)))
  for (const path of OURS) {
    removeStaleDrafts(join(root, path))
    rmSync(join(root, path), { force: true })
  }
  if (isKnown) await systemctl('daemon-reload')
  return { removed, kept: THEIRS.filter((path) => existsSync(join(root, path))) }
}

/** Whether systemd knew of it. */
async function stop(systemctl: Systemctl, root: string): Promise<boolean> {
  const { installed, active } = await readServiceState(systemctl)
  if (!installed && !active) return false
  // One whose unit was taken away already cannot be disabled, and may still run.
  if (isThere(join(root, PLACES.unit))) await systemctl('disable', '--now', UNIT_NAME)
  else await systemctl('stop', UNIT_NAME)
  // Otherwise systemd remembers a service that failed, and shows it for ever.
  const { state } = await readServiceState(systemctl)
  if (state.startsWith('failed')) await systemctl('reset-failed', UNIT_NAME)
  return true
}
