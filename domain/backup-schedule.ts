import { MINUTE_MS } from './duration.ts'

type Dated = { readonly at: Date }

/** A full disk may have room again, or a folder be mounted, long before the next backup is due. */
export const RETRY_AFTER_MS = 10 * MINUTE_MS

/** The moment in UTC to the second, as it stands in names of files: `20261121T030000Z`. */
export function formatTimestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** What the service calls a backup that it makes by itself: `alibi-20261121T030000Z.db`. */
export function backupNameOf(at: Date): string {
  return `alibi-${formatTimestamp(at)}.db`
}

/** When the backup of this name was made. Null for a name that the service does not give. */
export function parseBackupName(name: string): Date | null {
  const [, year, month, day, hour, minute, second] =
    /^alibi-([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z\.db$/.exec(name) ?? []
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // `Date` takes 31 February for a day in March.
  return Number.isNaN(at.getTime()) || backupNameOf(at) !== name ? null : at
}

/**
 * Whether a backup has to be made now: the last one is old enough, and the last failure long enough ago. A moment in
 * the future does not count: the clock was ahead then.
 */
export function isBackupDue(
  backups: readonly Dated[],
  { failedAt, everyMs, now }: { failedAt: Date | null; everyMs: number; now: Date },
): boolean {
  const hasPassedSince = (at: Date, durationMs: number) =>
    at > now || now.getTime() - at.getTime() >= durationMs
  if (failedAt !== null && !hasPassedSince(failedAt, RETRY_AFTER_MS)) return false
  return backups.every(({ at }) => hasPassedSince(at, everyMs))
}

/** The latest. One from the future does not count: the clock was ahead then. Null without any. */
export function findNewest<Backup extends Dated>(
  backups: readonly Backup[],
  { now }: { now: Date },
): Backup | null {
  const past = backups.filter(({ at }) => at <= now)
  return past.toSorted((left, right) => right.at.getTime() - left.at.getTime())[0] ?? null
}

/**
 * The backups beyond the number to keep, in the order in which to delete them. Backups from the future go first, since
 * they would displace every backup made until then; the oldest go next. The latest from the past always stays.
 */
export function findBackupsToPrune<Backup extends Dated>(
  backups: readonly Backup[],
  { keep, now }: { keep: number; now: Date },
): readonly Backup[] {
  const byAge = backups.toSorted((left, right) => left.at.getTime() - right.at.getTime())
  const toCome = byAge.filter(({ at }) => at > now)
  const past = byAge.filter(({ at }) => at <= now)
  return [...toCome, ...past].slice(0, Math.max(0, backups.length - keep))
}
