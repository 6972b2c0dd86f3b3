import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { hasCode } from '../../../infrastructure/files/node-errors.ts'
import { giveAway, writeOwned } from './unprivileged-account.ts'

/** What belongs to the running server and to no copy of it; the folders are copied empty. */
const FILES_LEFT_OUT =
  /^(?:postmaster\.(?:pid|opts)|postgresql\.auto\.conf|current_logfiles|pgsql_tmp.*)$/
const FOLDERS_LEFT_EMPTY =
  /^(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)$/

/**
 * Copies the data of a running server as PostgreSQL documents it under "Making a Base Backup Using the Low Level API":
 * npm's server comes without pg_basebackup.
 */
export async function copyRunningCluster(
  superuserUrl: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    await client.query(`SELECT pg_backup_start('copy', fast => true)`)
    copyFolder(from, to)
    // Ends with the connection where the copy failed.
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    writeOwned(join(to, 'backup_label'), rows[0].labelfile)
  } finally {
    await client.end()
  }
}

function copyFolder(from: string, to: string): void {
  makeEmpty(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (!entry.isDirectory()) copyFile(source, target)
    else if (FOLDERS_LEFT_EMPTY.test(entry.name)) makeEmpty(target)
    else copyFolder(source, target)
  }
}

function makeEmpty(folder: string): void {
  mkdirSync(folder, { mode: 0o700 })
  giveAway(folder)
}

/** A file that goes away meanwhile is one that the copy does not need: its log says what to do without. */
function copyFile(source: string, target: string): void {
  if (FILES_LEFT_OUT.test(basename(source))) return
  try {
    copyFileSync(source, target)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  giveAway(target)
}
