const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=/
const EXAMPLE = /^#\s*([A-Za-z_][A-Za-z0-9_]*)=/

/** New values by the name of the setting; null takes the setting away. */
export type SettingChanges = ReadonlyMap<string, string | null>

/**
 * A settings file with these settings and no others changed. A setting that is there keeps its place; a new one stands
 * behind the comment that shows its default, else at the end. Every other line stays, byte for byte. Values need
 * `canBeWritten`.
 */
export function changeSettings(text: string, changes: SettingChanges): string {
  if (changes.size === 0) return text
  const lines = text === '' ? [] : text.split('\n')
  const ending = text.includes('\r\n') ? '\r' : ''
  const missing = new Map(changes)
  const kept = lines.flatMap((line) => {
    const [, name] = ASSIGNMENT.exec(line) ?? []
    const value = name === undefined ? undefined : changes.get(name)
    if (name === undefined || value === undefined) return [line]
    missing.delete(name)
    return value === null ? [] : [`${name}=${quoted(value)}${ending}`]
  })
  for (const [name, value] of missing) {
    if (value === null) continue
    const assignment = `${name}=${quoted(value)}${ending}`
    const example = kept.findLastIndex((line) => EXAMPLE.exec(line)?.[1] === name)
    if (example >= 0) kept.splice(example + 1, 0, assignment)
    else if (kept.at(-1) === '') kept.splice(-1, 0, assignment)
    else kept.push(assignment)
  }
  const changed = kept.join('\n')
  return changed === '' || changed.endsWith('\n') ? changed : `${changed}\n`
}

/** Whether a settings file can hold the value: on one line, and in one kind of quotes. */
export function canBeWritten(value: string): boolean {
  if (/\p{Cc}/u.test(value)) return false
  return !(value.includes("'") && /["\\]/.test(value))
}

function quoted(value: string): string {
  if (/^[\w.:/@+=,%*-]*$/.test(value)) return value
  return /["\\]/.test(value) ? `'${value}'` : `"${value}"`
}
