import { configureSync, getLogger, type LogLevel, type LogRecord } from '@logtape/logtape'
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
  level: keyof typeof LEVELS
  format: 'json' | 'pretty'
  /** Whether each line begins with its priority for systemd's journal, which takes that away. */
  priorities?: boolean
  /** Takes one line, its line break included. */
  write: (line: string) => void
}): Log {
  const lineOf = format === 'json' ? jsonLine : prettyLine
  const priorityOf = priorities ? journalPriority : () => ''
  configureSync({
    reset: true,
    sinks: { lines: (record) => write(`${priorityOf(record)}${lineOf(record)}\n`) },
    loggers: [
      { category: CATEGORY, sinks: ['lines'], lowestLevel: LEVELS[level] },
      // LogTape's word on itself: without this it greets, and its own failures stay unseen.
      { category: ['logtape', 'meta'], sinks: ['lines'], lowestLevel: 'warning' },
    ],
  })
  const logger = getLogger(CATEGORY)
  return {
    debug: (event, fields) => logger.debug(event, fields),
    info: (event, fields) => logger.info(event, fields),
    warn: (event, fields) => logger.warn(event, fields),
    error: (event, fields) => logger.error(event, fields),
  }
}

function journalPriority({ level }: LogRecord): string {
  switch (level) {
    case 'warning':
    case 'info':
      return JOURNAL_PRIORITIES[level]
    case 'error':
    case 'fatal':
      return JOURNAL_PRIORITIES.error
    default:
      return JOURNAL_PRIORITIES.debug
  }
}

/** {"time", "level", "event", …fields}. No field takes the place of the first three. */
function jsonLine(record: LogRecord): string {
  const own = { time: timeOf(record), level: levelName(record.level), event: eventOf(record) }
  return JSON.stringify({ ...own, ...record.properties, ...own })
}

function prettyLine(record: LogRecord): string {
  const time = timeOf(record).slice(11, 23)
  const level = levelName(record.level).toUpperCase().padEnd(5)
  const fields = Object.entries(record.properties).map(([name, value]) => `${name}=${show(value)}`)
  return [time, level, eventOf(record), ...fields].join(' ')
}

function timeOf({ timestamp }: LogRecord): string {
  return new Date(timestamp).toISOString()
}

function levelName(level: LogLevel): string {
  return level === 'warning' ? 'warn' : level
}

function eventOf({ rawMessage }: LogRecord): string {
  return typeof rawMessage === 'string' ? rawMessage : rawMessage.join('{}')
}

/** Text that could be mistaken for something else, or that a terminal would obey, is quoted and escaped. */
function show(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@+-]+$/.test(value)) return value
  return String(JSON.stringify(value)).replace(
    /[\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
