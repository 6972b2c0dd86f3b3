import { LOG_EVENTS, type LogEvent, type LogLevel } from '../../application/log-events.ts'
import type { Clock, Log, LogFields } from '../../application/ports.ts'
import { JOURNAL_PRIORITIES } from '../systemd/journal.ts'

/** The least important first. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Writes one line an event. */
export function createLog({
  level: lowest,
  format,
  priorities = false,
  clock,
  write,
  flush = () => {},
}: {
  level: LogLevel
  format: 'json' | 'pretty'
  /** Whether each line begins with its priority for systemd's journal. The journal does not show it. */
  priorities?: boolean
  clock: Clock
  /** Takes one line, its line break included. */
  write: (line: string) => void
  /** Called after each error, which may be the last that the process writes. */
  flush?: () => void
}): Log {
  const shown = new Set(LEVELS.slice(LEVELS.indexOf(lowest)))
  const lineOf = format === 'json' ? jsonLine : prettyLine
  const timeNow = timeTeller(clock)
  return (event, fields = {}) => {
    const { level } = LOG_EVENTS[event]
    if (!shown.has(level)) return
    const priority = priorities ? JOURNAL_PRIORITIES[level] : ''
    write(`${priority}${lineOf({ time: timeNow(), event, fields })}\n`)
    if (level === 'error') flush()
  }
}

type Entry = { readonly time: string; readonly event: LogEvent; readonly fields: LogFields }

/** The text of a millisecond is made once: under load it is that of many lines. */
function timeTeller(clock: Clock): () => string {
  let text = ''
  let ofMs = Number.NaN
  return () => {
    const now = clock.now()
    if (now.getTime() !== ofMs) {
      text = now.toISOString()
      ofMs = now.getTime()
    }
    return text
  }
}

/** What every line of an event has behind its time. */
const OWN_MEMBERS = Object.fromEntries(
  Object.entries(LOG_EVENTS).map(([event, { level, message }]) => [
    event,
    JSON.stringify({ level, event, message }).slice(1, -1),
  ]),
)

/** {"time", "level", "event", "message", …fields}. No field takes the place of the first four. */
function jsonLine({ time, event, fields }: Entry): string {
  const isMixed = 'time' in fields || 'level' in fields || 'event' in fields || 'message' in fields
  const others = isMixed ? { ...fields, ...LEFT_OUT } : fields
  const members = JSON.stringify(others).slice(1)
  return `{"time":"${time}",${OWN_MEMBERS[event]}${members === '}' ? '' : ','}${members}`
}

/** JSON has no members that are undefined. */
const LEFT_OUT = { time: undefined, level: undefined, event: undefined, message: undefined }

/** As people read it: the sentence first, then the key, which begins the fields. */
function prettyLine({ time, event, fields }: Entry): string {
  const { level, message } = LOG_EVENTS[event]
  const own = { event }
  const shown = Object.entries({ ...own, ...fields, ...own }).map(
    ([name, value]) => `${name}=${show(value)}`,
  )
  return [time.slice(11, 23), level.toUpperCase().padEnd(5), message, ...shown].join(' ')
}

/** Quotes and escapes text that could be mistaken for another field, or that a terminal would obey. */
function show(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@+-]+$/.test(value)) return value
  return String(JSON.stringify(value)).replace(
    /[\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
