import { formatBytes } from '../../../application/doctor/byte-size.ts'
import { EXIT } from '../exit-codes.ts'
import { withProgress } from '../progress.ts'

type BackupReport = {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly version: string
}

/** Copies the database into a new file, and says what has come of it. */
export function backup({
  backUp,
  monotonicMs,
  json,
  print,
  progress,
}: {
  backUp: (onStep: (step: string) => void) => BackupReport
  monotonicMs: () => number
  json: boolean
  print: (text: string) => void
  /** Shows a line that the next one replaces; null takes it away. */
  progress: (line: string | null) => void
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
