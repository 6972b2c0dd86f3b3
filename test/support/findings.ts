import type { Finding } from '../../application/doctor/finding.ts'

/** The findings of the doctor as it prints them, without what to do. */
export function linesOf(findings: readonly Finding[]): string[] {
  return findings.map(({ name, level, text }) => `${level} ${name}: ${text}`)
}
