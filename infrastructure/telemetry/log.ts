import { configureSync, getLogger, type LogRecord } from '@logtape/logtape'
import { LOG_EVENTS, type LogEvent, type LogLevel } from '../../application/log-events.ts'
import type { Log } from '../../application/ports.ts'
import { JOURNAL_PRIORITIES } from '../systemd/journal.ts'

/** Ours on the left, LogTape's on the right. */
const LEVELS = { debug: 'debug', info: 'info', warn: 'warning', error: 'error' } as const

const CATEGORY = 'alibi'

/**
 * Writes one line an event. LogTape is configured once for the whole process, so the log that was made last decides
 * where and how all of them write.
 */
export function createLog({
  level,
  format,
  priorities = false,
  write,
}: {
  level: LogLevel
  format: 'json' | 'pretty'
  /** Whether each line begins with its priority for systemd's journal. The journal does not show it. */
  priorities?: boolean
  /** Takes one line, its line break included. */
  write: (line: string) => void
}): Log {
  const lineOf = format === 'json' ? jsonLine : prettyLine
  const priorityOf = priorities ? journalPriority : () => ''
  function writeLine(record: LogRecord): void {
    const entry = entryOf(record)
    write(`${priorityOf(entry)}${lineOf(entry)}\n`)
  }
  configureSync({
    reset: true,
    sinks: { lines: writeLine },
    loggers: [
      { category: CATEGORY, sinks: ['lines'], lowestLevel: LEVELS[level] },
      // LogTape's own messages: without this it prints a greeting, and its failures stay unseen.
      { category: ['logtape', 'meta'], sinks: ['lines'], lowestLevel: 'warning' },
    ],
  })
  const logger = getLogger(CATEGORY)
  return (event, fields) => logger[LOG_EVENTS[event].level](event, fields)
}

type Entry = {
  readonly time: string
  readonly level: LogLevel
  readonly event: LogEvent
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * A record of ours has the key of its event for a message. Any other is LogTape's own, about a record that it could not
 * write.
 */
function entryOf({ timestamp, rawMessage, properties }: LogRecord): Entry {
  const text = typeof rawMessage === 'string' ? rawMessage : rawMessage.join('{}')
  const event = isLogEvent(text) ? text : 'log.failed'
  const fields = isLogEvent(text) ? properties : { reason: text }
  return { time: new Date(timestamp).toISOString(), event, ...LOG_EVENTS[event], fields }
}

function isLogEvent(text: string): text is LogEvent {
  return Object.hasOwn(LOG_EVENTS, text)
}

function journalPriority({ level }: Entry): string {
  return JOURNAL_PRIORITIES[LEVELS[level]]
}

/** {"time", "level", "event", "message", …fields}. No field takes the place of the first four. */
function jsonLine({ fields, time, level, event, message }: Entry): string {
  const own = { time, level, event, message }
  return JSON.stringify({ ...own, ...fields, ...own })
}

/** As people read it: the sentence first, then the key, which begins the fields. */
function prettyLine({ time, level, message, event, fields }: Entry): string {
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
