import { ConfigError } from './config.ts'
import { REPLACEMENT, type Variables } from './settings-source.ts'

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/

/**
 * The environment and a settings file together. Where both set something the environment wins. Throws `ConfigError`.
 */
export function withEnvFile(env: Variables, text: string): Variables {
  const isSet = Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  return { ...parseEnvFile(text), ...Object.fromEntries(isSet) }
}

/**
 * Reads KEY=VALUE lines, with # before a comment and quotes around a value where wanted. Refuses, rather than guesses,
 * what shells, systemd and dotenv libraries read differently: comments behind a value, escapes, open quotes. Throws
 * `ConfigError`.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const values = new Map<string, string>()
  const problems: string[] = []
  const lines = text.replace(/^\u{feff}/u, '').split(/\r?\n/)
  lines.forEach((untrimmed, index) => {
    const line = untrimmed.trim()
    const isSetting = line !== '' && !line.startsWith('#')
    const isText = !line.includes(REPLACEMENT)
    const problem = isText ? isSetting && readLine(line, values) : 'must be UTF-8 text'
    if (problem) problems.push(`line ${index + 1}: ${problem}`)
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.fromEntries(values)
}

/** Adds the line's assignment, or says what is wrong with it. */
function readLine(line: string, values: Map<string, string>): string | null {
  const [, name, written = ''] = ASSIGNMENT.exec(line) ?? []
  if (name === undefined) return 'must be KEY=VALUE'
  if (values.has(name)) return `${name} is set a second time`

  const [, quote, quoted] = /^(["'])(.*)\1$/.exec(written) ?? []
  const value = quoted ?? written
  if (quote === undefined && /^["']|\s#/.test(value)) {
    return `${name} needs quotes around all of its value, and no comment behind it`
  }
  if (quote !== undefined && value.includes(quote)) {
    return `${name} has its own quotes within its value: use the other kind`
  }
  if (quote === '"' && value.includes('\\')) {
    return `${name} has a backslash within double quotes: use single quotes`
  }
  values.set(name, value)
  return null
}
