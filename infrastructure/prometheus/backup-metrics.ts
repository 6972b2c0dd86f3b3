import type { Backup, Backups } from '../../application/upkeep/scheduled-backups.ts'
import type { Gauges } from './instruments.ts'

/** A service that makes no backups by itself has no such metrics. One that has made none yet shows one of 1970. */
export async function backupGauges(backups: Backups | null): Promise<Gauges> {
  const newest = backups && (await findNewest(backups))
  if (!backups || newest === 'unreadable') return {}
  return {
    alibi_backup_last_success_timestamp_seconds: [
      'When the newest whole backup was made, in Unix time.',
      (newest?.at.getTime() ?? 0) / 1000,
    ],
    alibi_backup_last_success_bytes: ['Size of the newest whole backup.', newest?.bytes ?? 0],
  }
}

async function findNewest(backups: Backups): Promise<Backup | null | 'unreadable'> {
  try {
    return await backups.findNewest()
  } catch {
    // The backups' own task tells the operator why.
    return 'unreadable'
  }
}
