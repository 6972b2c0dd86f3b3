import { statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServiceState } from '../../application/ports.ts'
import type { FileChange, InstallReport } from '../../application/upkeep/reports.ts'
import { removeStaleDrafts } from '../files/drafts.ts'
import { hasCode } from '../files/node-errors.ts'
import { installedFiles, PLACES } from './installed-files.ts'
import { makeFolder } from './make-folder.ts'
import { readLinkLocalNameServers } from './name-servers.ts'
import { isThere, placeExecutable, placeText, restrictPermissions } from './place-file.ts'
import { readServiceState, UNIT_NAME } from './service-state.ts'
import type { Systemctl } from './systemctl.ts'

/**
 * Puts every file of the service in its place below `root`, and has a running systemd reload its units. Leaves files
 * alone that are right already, so that a second run changes nothing. Throws when a file cannot be written, with those
 * before it in place, and when a service that ran does not start again.
 */
export async function installService({
  root,
  executable,
  completion,
  systemctl,
}: {
  root: string
  /** The path of the executable that is installed. */
  executable: string
  completion: string
  /** Null where `root` is no running system. */
  systemctl: Systemctl | null
}): Promise<InstallReport> {
  refuseNoFolder(root)
  makeFolders(root)
  const isNew = !isThere(join(root, PLACES.settings))
  const wasInstalled = isThere(join(root, PLACES.unit))
  const nameServers = readLinkLocalNameServers(root)
  const files = placeFiles({ root, executable, completion, isNew, nameServers })
  const before = systemctl && (await readServiceState(systemctl))
  const isChanged = files.some(
    ({ path, change }) => STARTED_FROM.includes(path) && isWritten(change),
  )
  // An earlier installation may have been interrupted before systemd reloaded its units.
  const isBehind = before !== null && (before.needsReload || runsAnother(before, root))
  const isOutdated = isChanged || isBehind
  const isBegun = before !== null && (before.active || before.state.startsWith('activating'))
  // Once: an upgrade does not overrule an operator who has disabled it.
  const enabled = !wasInstalled
  // The first installation never starts it, because its settings are not filled in yet.
  const restarted = isBegun && isOutdated
  if (systemctl) {
    if (isOutdated) await systemctl('daemon-reload')
    if (enabled) await systemctl('enable', UNIT_NAME)
    if (restarted) await restart(systemctl, { isUpgrade: files[0]?.change === 'replaced' })
  } else if (enabled) enableWithout(root)

  return {
    files,
    enabled,
    restarted,
    nameServers,
    service: systemctl && (await readServiceState(systemctl)),
  }
}

/** The files from which the running service was started. */
const STARTED_FROM: readonly string[] = [PLACES.executable, PLACES.unit]

const isWritten = (change: FileChange) => change === 'created' || change === 'replaced'

/** Whether its process was started from another file than the installed executable. */
function runsAnother({ pid }: ServiceState, root: string): boolean {
  const [running, installed] = [`/proc/${pid}/exe`, join(root, PLACES.executable)].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  )
  return running !== undefined && installed !== undefined && running.ino !== installed.ino
}

function placeFiles({
  root,
  executable,
  completion,
  isNew,
  nameServers,
}: {
  root: string
  executable: string
  completion: string
  isNew: boolean
  nameServers: readonly string[]
}): InstallReport['files'] {
  const { executable: path, previous } = PLACES
  const files = installedFiles({ completion, isNew, nameServers })
  for (const place of [path, previous, ...files.map((file) => file.path)])
    removeStaleDrafts(join(root, place))

  const change = placeExecutable(executable, {
    path: join(root, path),
    previous: join(root, previous),
  })
  const texts = files.map((file) => ({
    path: file.path,
    change: placeText(join(root, file.path), file),
  }))
  return [{ path, change }, ...texts]
}

function makeFolders(root: string): void {
  const { executable, completion, settings, unit, enabled, credentials } = PLACES
  // The folder of the settings may hold content, which the service reads by itself.
  for (const path of [executable, completion, settings, unit, enabled]) {
    makeFolder(root, dirname(path))
  }
  makeFolder(root, credentials, 0o700)
  restrictPermissions(join(root, credentials))
}

/** `isUpgrade`: the executable took the place of another one. */
async function restart(systemctl: Systemctl, { isUpgrade }: { isUpgrade: boolean }): Promise<void> {
  try {
    await systemctl('restart', UNIT_NAME)
  } catch (error) {
    const { executable, previous } = PLACES
    const wayBack = `, or go back by "mv ${previous} ${executable}" and "systemctl restart alibi"`
    throw new Error(
      `what is installed now does not start: look at "journalctl -u alibi"${isUpgrade ? wayBack : ''}`,
      { cause: error },
    )
  }
}

/** Does the same as "systemctl enable", for a system that does not run. */
function enableWithout(root: string): void {
  try {
    symlinkSync(PLACES.unit, join(root, PLACES.enabled))
  } catch (error) {
    // It is enabled already, perhaps by another installation at this moment.
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function refuseNoFolder(root: string): void {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--root: ${root} must be a folder`)
  }
}
