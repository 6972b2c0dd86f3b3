import { keepSecret } from '../../application/error-report.ts'
import { hasCode } from '../files/node-errors.ts'
import { SECRETS } from './secret-settings.ts'

/** What APP_ENV says. */
export type AppEnvironment = 'production' | 'development'

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** How a setting is written: in words for the operator, and as a parser that gives undefined for anything else. */
export type SettingFormat<Value> = {
  readonly shape: string
  readonly parse: (text: string) => Value | undefined
}

/** Reads settings one by one and remembers all that is wrong with them. An empty setting counts as not set. */
export type SettingsSource = {
  /** One line each, naming the variable and what it must look like, never its value. */
  readonly problems: readonly string[]
  isSet(name: string): boolean
  /** A malformed value is a problem, and `fallback` stands in for it. */
  read<Value>(name: string, format: SettingFormat<Value>, fallback: Value): Value
  /** As `read`, but a setting that is not set is a problem as well. */
  require<Value>(name: string, format: SettingFormat<Value>, fallback: Value): Value
  /** A setting that is set is a problem. */
  refuse(name: string, reason: string): void
  report(problem: string): void
}

/** Stands in a text for bytes that are not UTF-8. A secret read like that would lose most of its entropy. */
export const REPLACEMENT = '\u{fffd}'

/** The secret in the text of a file: a byte order mark, white space and empty lines around it are no part of it. */
export function secretIn(text: string): string {
  return text.trim()
}

/** What a source holds: null when its file cannot be read. */
type Given = { readonly source: string; readonly text: string | null }

/** `readFile` returns a file as text, or throws with Node's `code`. */
export function settingsSource({
  env,
  readFile,
}: {
  env: Variables
  readFile: (path: string) => string
}): SettingsSource {
  const problems: string[] = []
  const known = new Map<string, Given | null>()

  function find(name: string): Given | null {
    const found = known.get(name)
    if (found !== undefined) return found
    const all = SECRETS.includes(name) ? secretSources(name) : variables([name])
    // A file that cannot be read is a problem of its own: it may be empty or not.
    const sure = all.filter(({ text }) => text !== null)
    if (SECRETS.includes(name)) {
      for (const { text } of sure)
        for (const secret of secretsIn(name, text ?? '')) keepSecret(secret)
    }
    if (sure.length > 1) {
      const sources = sure.map(({ source }) => source).join(' and ')
      problems.push(`${name} has more than one source: keep one of ${sources}`)
    }
    const given = sure[0] ?? all[0] ?? null
    known.set(name, given)
    return given
  }

  function secretSources(name: string): Given[] {
    const [path] = variables([`${name}_FILE`])
    const directory = env['CREDENTIALS_DIRECTORY']
    return [
      ...variables([name]),
      ...(path ? fromFile(path.source, path.text, { isOptional: false }) : []),
      ...(directory
        ? fromFile(`$CREDENTIALS_DIRECTORY/${name}`, `${directory}/${name}`, { isOptional: true })
        : []),
    ]
  }

  function variables(names: readonly string[]) {
    return names.flatMap((name) => (env[name] ? [{ source: name, text: env[name] }] : []))
  }

  function fromFile(
    source: string,
    path: string,
    { isOptional }: { isOptional: boolean },
  ): Given[] {
    try {
      const text = secretIn(readFile(path))
      if (!text.includes(REPLACEMENT)) return text === '' ? [] : [{ source, text }]
    } catch (error) {
      if (isOptional && hasCode(error, 'ENOENT')) return []
    }
    problems.push(`${source} must be a readable file of UTF-8 text`)
    return [{ source, text: null }]
  }

  function parse<Value>(name: string, format: SettingFormat<Value>, fallback: Value): Value {
    const text = find(name)?.text ?? null
    if (text === null) return fallback
    const isText = !text.includes(REPLACEMENT)
    const value = isText ? format.parse(text) : undefined
    if (value !== undefined) return value
    problems.push(`${name} must be ${isText ? '' : 'UTF-8 text: '}${format.shape}`)
    return fallback
  }

  return {
    problems,
    isSet: (name) => find(name) !== null,
    read: parse,
    require(name, format, fallback) {
      if (!find(name)) problems.push(`${name} is required: ${format.shape}`)
      return parse(name, format, fallback)
    },
    refuse(name, reason) {
      if ((find(name)?.text ?? null) !== null) problems.push(`${name} ${reason}`)
    },
    report: (problem) => void problems.push(problem),
  }
}

/** What of a setting nobody may read: of a URL the passwords in it, else all of it, and each of several in a list. */
function secretsIn(name: string, text: string): readonly string[] {
  if (!name.endsWith('_URL')) return [text, ...(text.match(/whsec_[^\s,]+/g) ?? [])]
  const [, ofUser] = /^[^:]+:\/\/[^:@/]*:([^@/]*)@/.exec(text) ?? []
  const [, ofQuery] = /[?&]password=([^&]*)/.exec(text) ?? []
  return [ofUser, ofQuery].flatMap((encoded) => (encoded ? [encoded, decoded(encoded)] : []))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
