import { type Finding, isHealthy } from '../../../application/doctor/finding.ts'
import { type Checkup, diagnose } from '../../../application/doctor/run-checks.ts'
import { EXIT } from '../exit-codes.ts'
import { alignColumns } from '../text-layout.ts'

/** Longer than any checkup waits by itself. */
const PATIENCE_MS = 15_000

/** Examines all there is to examine, and prints what was found and what to do about it. */
export async function doctor({
  checkups,
  areSettingsRight,
  offline,
  json,
  wait,
  print,
  progress,
}: {
  checkups: readonly Checkup[]
  areSettingsRight: boolean
  offline: boolean
  json: boolean
  wait: (milliseconds: number, until: AbortSignal) => Promise<void>
  print: (text: string) => void
  progress: (line: string | null) => void
}): Promise<number> {
  const findings = await diagnose(checkups, {
    offline,
    patienceMs: PATIENCE_MS,
    wait,
    onProgress: (names) => progress(names.length > 0 ? `looking at ${names.join(', ')} …` : null),
  })
  print(json ? formatJson(findings) : formatText(findings))
  if (!areSettingsRight) return EXIT.wrongSettings
  return isHealthy(findings) ? EXIT.done : EXIT.failed
}

function formatJson(findings: readonly Finding[]): string {
  return JSON.stringify({ checks: findings, ok: isHealthy(findings) })
}

function formatText(findings: readonly Finding[]): string {
  const lines = alignColumns(
    findings.map(({ name, level, text }) => [level, name, onOneLine(text)]),
  )
  const advised = findings.map(({ advice }, place) =>
    advice === null ? lines[place] : `${lines[place]}\n  -> ${onOneLine(advice)}`,
  )
  return [...advised, '', summarize(findings)].join('\n')
}

/** What comes from elsewhere, such as an address that a server redirects to, must not reach the terminal's controls. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

function summarize(findings: readonly Finding[]): string {
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  const [failed, warnings] = [count('failed'), count('warning')]
  if (failed + warnings === 0) return 'Nothing is wrong.'
  return `${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
}
