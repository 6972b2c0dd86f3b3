import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import type { Backup, BackupFolder } from '../../../application/upkeep/scheduled-backups.ts'
import { backupNameOf, parseBackupName } from '../../../domain/backup-schedule.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { codeOf } from '../../files/node-errors.ts'
import { CALLERS_RIGHTS, type TakenRights } from '../../rights/effective-user.ts'
import { withRightsFor } from '../../rights/state-folder.ts'
import { refuseUnwritable } from '../work-folder.ts'
import { checksumPath } from './backup-checksum.ts'

/** A disk that does not answer, such as one over a network, must not prevent the next backup. */
const BACKUP_TIMEOUT_MS = HOUR_MS

/** How much of a process's error output is worth repeating, in characters. */
const REASON_LENGTH_MAX = 500

/**
 * A second process makes the backups. It neither blocks this one nor competes with it. Its environment says where the
 * database is, and nothing else. It begins with the rights of whoever has started this one, which has the owner's.
 */
export function backupFolder(
  folder: string,
  {
    command,
    databasePath,
    rights = CALLERS_RIGHTS,
  }: { command: readonly string[]; databasePath: string; rights?: TakenRights },
): BackupFolder {
  const inFolder = <Result>(work: () => Result) =>
    rights.asCaller(() => withRightsFor(folder, databasePath, work))
  return {
    list: async () => inFolder(() => listBackups(folder)),
    async make(at, stopping) {
      const name = backupNameOf(at)
      await run([...command, 'backup', join(folder, name)], {
        env: { DATABASE_URL: `sqlite:${databasePath}` },
        rights,
        signal: AbortSignal.any([stopping, AbortSignal.timeout(BACKUP_TIMEOUT_MS)]),
      })
      return { name, at, bytes: inFolder(() => lstatSync(join(folder, name)).size) }
    },
    async remove({ name }) {
      inFolder(() => {
        // In this order: a checksum without its backup would never be removed.
        rmSync(checksumPath(join(folder, name)), { force: true })
        rmSync(join(folder, name), { force: true })
      })
    },
  }
}

/** Oldest first. Only files with the name of a backup that the service makes by itself. */
export function listBackups(folder: string): readonly Backup[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const at = parseBackupName(name)
      if (at === null) return []
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return stats?.isFile() ? [{ name, at, bytes: stats.size }] : []
    })
    .sort((left, right) => left.at.getTime() - right.at.getTime())
}

/**
 * Makes the folder where its parent exists, or where the database will be in that parent. Returns why no file can be
 * made in it; null when one can.
 */
export function findBackupFolderProblem(
  folder: string,
  { databasePath }: { databasePath: string },
): string | null {
  return withRightsFor(folder, databasePath, () => findProblem(folder, databasePath))
}

function findProblem(folder: string, databasePath: string): string | null {
  try {
    const recursive = dirname(folder) === dirname(databasePath)
    mkdirSync(folder, { recursive, mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return String(codeOf(error))
  }
  try {
    refuseUnwritable(folder)
    return null
  } catch (error) {
    return String(codeOf(error))
  }
}

async function run(
  command: string[],
  {
    env,
    rights,
    signal,
  }: { env: Record<string, string>; rights: TakenRights; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  const child = rights.asCaller(() => {
    const started = Bun.spawn(command, {
      env,
      signal,
      killSignal: 'SIGKILL',
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    giveWay(started.pid)
    return started
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) === 0) return
  signal.throwIfAborted()
  const reason = said
    .trim()
    .replace(/^alibi: /, '')
    .slice(0, REASON_LENGTH_MAX)
  throw new Error(reason || `the backup ended with ${child.signalCode ?? child.exitCode}`)
}

function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // A sandbox may forbid it. The backup is made all the same.
  }
}
