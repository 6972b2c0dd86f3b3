import { formatBytes } from '../../../application/format.ts'
import type { BackupReport } from '../../../application/upkeep/reports.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { withProgress } from '../progress.ts'

export const backupCommand: Command<{ readonly file: string }> = {
  name: 'backup',
  summary: 'copy the database into a file, while the service runs',
  operands: ['FILE'],
  options: [JSON_OPTION],
  details: `Writes a copy of the database as it is at one moment to FILE, checks it, and writes its checksum to
FILE.sha256 for "sha256sum --check". Never overwrites a file. The copy has everything in it,
addresses included, so only its owner may read it.
Refuses with PostgreSQL, which is backed up by tools of its own: pg_dump, or pg_basebackup with an
archive of its WAL.
Needs no setting but DATABASE_URL.`,
  parse: ([file = '']) => ({ file }),
  async run(context, { file }) {
    return backup({ ...context, backUp: await context.openBackup(file) })
  },
}

/** Copies the database into a new file, and prints the result. */
export function backup({
  backUp,
  monotonicMs,
  json,
  print,
  progress,
}: Pick<CommandContext, 'json' | 'print' | 'progress' | 'monotonicMs'> & {
  backUp: (onStep: (step: string) => void) => BackupReport
}): number {
  const startedMs = monotonicMs()
  const report = withProgress(progress, backUp)
  const seconds = Number(((monotonicMs() - startedMs) / 1000).toFixed(3))
  if (json) print(JSON.stringify({ ...report, seconds }))
  else print(formatText({ ...report, seconds }))
  return EXIT.done
}

function formatText({
  file,
  bytes,
  sha256,
  version,
  seconds,
}: BackupReport & { seconds: number }): string {
  return [
    `Backed up into ${file}: ${formatBytes(bytes)} at ${version}, checked, in ${seconds.toFixed(1)} s.`,
    `Its checksum is in ${file}.sha256: ${sha256}`,
  ].join('\n')
}
