import { type Finding, isHealthy } from '../../../application/doctor/finding.ts'
import { runChecks } from '../../../application/doctor/run-checks.ts'
import { type Email, findEmail } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION, type Option } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { alignColumns } from '../text-layout.ts'

const MAIL_TO_OPTION = {
  name: 'mail-to',
  type: 'string',
  needs: 'an address such as anna@example.com',
  value: 'EMAIL',
  summary: 'send a test mail to EMAIL',
} as const satisfies Option

const OFFLINE_OPTION: Option = {
  name: 'offline',
  type: 'boolean',
  summary: 'ask nobody over the network',
}

type Asked = { readonly mailTo: Email | null; readonly offline: boolean }

export const doctorCommand: Command<Asked> = {
  name: 'doctor',
  summary: 'look for what is wrong, or will be, and say what to do',
  operands: [],
  options: [MAIL_TO_OPTION, OFFLINE_OPTION, JSON_OPTION],
  details: `Checks the settings, the content, the database, its backups and its disk, the clock, the payment
provider (key, price, webhook endpoint), the mail provider (key, domain), and whether the service
answers at PUBLIC_URL and knows its visitors apart behind the proxy. Prints a line for each: ok,
warning, failed, or skipped where it cannot be told, and what to do. Changes nothing; --mail-to
sends one mail. What is asked over the network has a time limit; --offline leaves it out. Exits 0
when nothing failed, 78 when the settings are wrong, else 1.
Needs the settings of the service, and works while the service runs.`,
  parse(_, { 'mail-to': address, offline }) {
    const mailTo = typeof address === 'string' ? findEmail(address) : null
    if (address !== undefined && mailTo === null) {
      return { usageError: `--mail-to needs ${MAIL_TO_OPTION.needs}` }
    }
    if (mailTo !== null && offline) {
      return { usageError: '--mail-to and --offline exclude each other' }
    }
    return { mailTo, offline: offline === true }
  },
  async run(context, asked) {
    const { json, wait, print, progress } = context
    const checks = await context.openChecks(asked)
    const findings = await runChecks(checks, { offline: asked.offline, wait, progress })
    const isOk = isHealthy(findings)
    print(json ? JSON.stringify({ checks: findings, ok: isOk }) : formatFindings(findings))
    const hasSettings = isHealthy(findings.filter(({ name }) => name === 'settings'))
    return hasSettings ? (isOk ? EXIT.done : EXIT.failed) : EXIT.wrongSettings
  },
}

/** A line for each finding with what to do below it, and a count of what is wrong. */
export function formatFindings(findings: readonly Finding[]): string {
  return [...findingLines(findings), '', summarize(findings)].join('\n')
}

export function findingLines(findings: readonly Finding[]): readonly string[] {
  const lines = alignColumns(
    findings.map(({ name, level, text }) => [level, name, onOneLine(text)]),
  )
  return lines.map((line, place) => {
    const advice = findings[place]?.advice ?? null
    return advice === null ? line : `${line}\n  -> ${onOneLine(advice)}`
  })
}

/** Text from other machines, such as an address that a server redirects to, must not control the terminal. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

function summarize(findings: readonly Finding[]): string {
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  const [failed, warnings] = [count('failed'), count('warning')]
  if (failed + warnings === 0) return 'Nothing is wrong.'
  return `${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
}
