import type { Database } from 'bun:sqlite'
import { DamagedDatabase } from './storage-outage.ts'

const FINDINGS_MAX = 3

/** Reads all of it, and throws with what SQLite finds wrong with it: a page, an index, or a row that refers to nothing. */
export function refuseUnsound(client: Database, subject: string): void {
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
