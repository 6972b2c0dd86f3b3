import { Database } from 'bun:sqlite'
import { closeSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatBytes } from '../../application/format.ts'
import type { AppliedMigration } from '../database/migration-history.ts'
import { makeDurable, sha256OfFile } from '../files/durable-files.ts'
import { freeBytesOf } from './files.ts'
import { assertIntegrity } from './integrity.ts'
import { readHistory } from './migrations.ts'
import type { WorkFolder } from './work-folder.ts'

/** A copy that was read again from the first page to the last. Every byte of it is on the disk. */
export type CheckedCopy = {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly history: readonly AppliedMigration[]
}

export type CopyStep = 'copying' | 'checking'

/** Room that a file system needs beside the bytes of a file. */
const ROOM_TO_SPARE_BYTES = 1024 * 1024

/**
 * Copies the database as it is at one moment into a folder, while others go on writing to it. Throws when there is no
 * room for it, and when the copy fails the integrity check.
 */
export function makeCheckedCopy(
  client: Database,
  { path: folder }: WorkFolder,
  onStep: (step: CopyStep) => void = () => {},
): CheckedCopy {
  const path = join(folder, 'copy.db')
  refuseLackOfRoom(folder, countBytes(client))
  const before = readHistory(client)
  onStep('copying')
  // SQLite fills an empty file, and leaves its mode as it is.
  closeSync(openSync(path, 'wx', 0o600))
  client.prepare('VACUUM INTO ?').run(path)

  onStep('checking')
  const history = checkCopy(path, before)
  makeDurable(path)
  return { path, bytes: statSync(path).size, sha256: sha256OfFile(path), history }
}

/** Throws unless so many bytes find room in a work folder. */
export function refuseLackOfRoom(folder: string, bytes: number): void {
  const freeBytes = freeBytesOf(folder)
  if (freeBytes >= bytes + ROOM_TO_SPARE_BYTES) return
  throw new Error(
    `the copy needs about ${formatBytes(bytes)}, and the disk of ${dirname(folder)} has only ${formatBytes(freeBytes)} left`,
  )
}

function countBytes(client: Database): number {
  const pragma = (name: string) => Number(client.prepare(`PRAGMA ${name}`).values()[0]?.[0] ?? 0)
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}

function checkCopy(path: string, before: readonly AppliedMigration[]): readonly AppliedMigration[] {
  const copy = new Database(path, { readonly: true })
  try {
    assertIntegrity(copy, 'the copy')
    const history = readHistory(copy)
    const lost = before.find(({ name }) => !history.some((applied) => applied.name === name))
    if (lost) throw new Error(`the copy lacks the migration ${lost.name}`)
    return history
  } finally {
    copy.close(true)
  }
}
