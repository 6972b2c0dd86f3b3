import type { Registry } from 'prom-client'
import type { Backup, Backups } from '../../application/upkeep/scheduled-backups.ts'
import { gauge } from './instruments.ts'

/** A service that makes no backups by itself has no such metrics. One that has made none yet shows one of 1970. */
export async function addBackupMetrics(registry: Registry, backups: Backups | null): Promise<void> {
  if (!backups) return
  const newest = await findNewest(backups)
  if (newest === 'unreadable') return
  gauge(
    registry,
    {
      name: 'alibi_backup_last_success_timestamp_seconds',
      help: 'When the newest whole backup was made, in Unix time.',
    },
    [{ value: (newest?.at.getTime() ?? 0) / 1000 }],
  )
  gauge(
    registry,
    { name: 'alibi_backup_last_success_bytes', help: 'Size of the newest whole backup.' },
    [{ value: newest?.bytes ?? 0 }],
  )
}

async function findNewest(backups: Backups): Promise<Backup | null | 'unreadable'> {
  try {
    return await backups.findNewest()
  } catch {
    // The backups' own task tells the operator why.
    return 'unreadable'
  }
}
