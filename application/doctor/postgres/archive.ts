import { MINUTE_MS } from '../../../domain/duration.ts'
import { type Finding, findingsOn } from '../finding.ts'

/** Of the server's own archiving of its log. What else makes backups cannot be seen through a connection. */
export type ArchiveFacts = {
  readonly isOn: boolean
  /** Whether the last piece of the log could not be archived. */
  readonly isFailing: boolean
  /** How long ago a piece was archived last; null where none was since the server's statistics began. */
  readonly lastMs: number | null
}

export function checkArchive({ isOn, isFailing, lastMs }: ArchiveFacts): Finding {
  const { ok, skipped, warning } = findingsOn('backups')
  if (!isOn) {
    return skipped(
      "they are yours to make, by PostgreSQL's own tools, and cannot be seen from here",
    )
  }
  if (isFailing) {
    return warning(
      'the server cannot archive its log: it cannot be restored to a moment, and its disk fills up',
      'look at archive_command, and at what the log of the server says of it',
    )
  }
  const last = lastMs === null ? '' : `, the last piece ${describeAge(lastMs)} ago`
  return ok(`the server archives its log${last}; whether there is a base backup cannot be seen`)
}

function describeAge(milliseconds: number): string {
  return `${Math.max(0, Math.round(milliseconds / MINUTE_MS))} min`
}
