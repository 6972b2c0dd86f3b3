import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { DamagedDatabase } from '../database/outage.ts'
import { translateFileOutage } from './storage-outage.ts'

const FINDINGS_MAX = 3

/**
 * Up to this size a database is checked before the service starts: in a fraction of a second when the machine has read
 * it before, in some seconds when it has just been switched on. A larger one is checked by its next backup, which reads
 * everything.
 */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024

/** Reads all of it. Throws with what SQLite finds wrong: a page, an index, or a row that refers to nothing. */
export function assertIntegrity(client: Database, subject: string): void {
  const findings = [
    ...client.prepare<[string], []>(`PRAGMA integrity_check(${FINDINGS_MAX})`).values().flat(),
    ...client.prepare<unknown[], []>('PRAGMA foreign_key_check').values().map(describeOrphan),
  ].filter((finding) => finding !== 'ok')
  if (findings.length === 0) return
  throw new DamagedDatabase(`${subject} is damaged: ${findings.slice(0, FINDINGS_MAX).join('; ')}`)
}

function describeOrphan([table, row]: readonly unknown[]): string {
  return `row ${row} of ${table} refers to nothing`
}

/** Throws for a database with a page that makes no sense, as a failing disk or a wrong hand leaves it. */
export function assertQuickCheck(client: Database): void {
  const file = translateFileOutage(() => statSync(client.filename, { throwIfNoEntry: false }))
  if (!file || file.size > CHECKED_BYTES_MAX) return
  const [problem] = client.prepare('PRAGMA quick_check(1)').values().flat()
  if (problem !== 'ok') throw new DamagedDatabase(String(problem).replace(/\s+/g, ' '))
}
