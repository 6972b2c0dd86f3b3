import { describe, expect, test } from 'bun:test'
import { getLogger } from '@logtape/logtape'
import { LOG_EVENTS, type LogEvent } from '../../../application/log-events.ts'
import type { Log } from '../../../application/ports.ts'
import { createLog } from '../../../infrastructure/telemetry/log.ts'

type Settings = Omit<Parameters<typeof createLog>[0], 'write'>

function logTo(settings: Settings) {
  const lines: string[] = []
  const log = createLog({ ...settings, write: (line) => void lines.push(line) })
  return { log, lines }
}

/** One event of each level, the least important first. */
const EVENT_OF_EACH_LEVEL = [
  'provider.called',
  'service.serving',
  'readiness.lost',
  'backup.failed',
] as const satisfies readonly LogEvent[]

function logEachLevel(log: Log) {
  for (const event of EVENT_OF_EACH_LEVEL) log(event)
}

describe('as JSON', () => {
  test('an event is one object on one line: time, level, key, sentence, fields', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log('service.serving', {
      url: 'http://127.0.0.1:3000',
      port: 3000,
      secure: false,
      proxy: null,
    })

    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"info","event":"service\.serving","message":"serving","url":"http:\/\/127\.0\.0\.1:3000","port":3000,"secure":false,"proxy":null\}\n$/,
    )
  })

  test('every level has its name', () => {
    const { log, lines } = logTo({ level: 'debug', format: 'json' })
    logEachLevel(log)
    const levels = lines.map((line) => JSON.parse(line).level)
    expect(levels).toEqual(['debug', 'info', 'warn', 'error'])
  })

  test('every event is written with the level and the sentence of the list', () => {
    const { log, lines } = logTo({ level: 'debug', format: 'json' })
    const events = Object.keys(LOG_EVENTS) as LogEvent[]
    for (const event of events) log(event)
    const written = lines.map((line) => JSON.parse(line))
    expect(written).toMatchObject(events.map((event) => ({ event, ...LOG_EVENTS[event] })))
  })

  test('no field takes the place of the time, the level, the key or the sentence', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log('backup.failed', { event: 'backup.made', level: 'info', time: 'never', message: 'fine' })
    expect(JSON.parse(lines[0]!)).toMatchObject({
      event: 'backup.failed',
      level: 'error',
      message: 'backup failed',
    })
    for (const untrue of ['never', 'fine', 'backup.made']) expect(lines[0]).not.toContain(untrue)
  })

  test('a line break in a field does not make a second line', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log('http.request', { path: '/\n{"level":"error"}' })
    expect(lines.join('').trimEnd()).not.toContain('\n')
    expect(JSON.parse(lines[0]!).path).toBe('/\n{"level":"error"}')
  })
})

test.each([
  ['debug', ['provider.called', 'service.serving', 'readiness.lost', 'backup.failed']],
  ['info', ['service.serving', 'readiness.lost', 'backup.failed']],
  ['warn', ['readiness.lost', 'backup.failed']],
  ['error', ['backup.failed']],
] as const)('at level %s less important events are left out', (level, events) => {
  const { log, lines } = logTo({ level, format: 'json' })
  logEachLevel(log)
  expect(lines.map((line) => JSON.parse(line).event)).toEqual([...events])
})

test.each(['json', 'pretty'] as const)(
  'for the journal of systemd a line of %s begins with how grave it is, and only there',
  (format) => {
    const write = (priorities: boolean) => {
      const { log, lines } = logTo({ level: 'debug', format, priorities })
      logEachLevel(log)
      return lines.map((line) => line.slice(0, 3))
    }
    expect(write(true)).toEqual(['<7>', '<6>', '<4>', '<3>'])
    for (const beginning of write(false)) expect(beginning).not.toMatch(/^</)
  },
)

test('what LogTape says of itself is an event of its own, and its braces are no placeholders', () => {
  const { lines } = logTo({ level: 'error', format: 'json', priorities: true })
  getLogger(['logtape', 'meta']).fatal('{sink} failed', { sink: 'lines', event: 'backup.made' })
  const [line] = lines
  expect(line).toStartWith('<3>')
  expect(JSON.parse(line!.slice(3))).toEqual({
    time: expect.any(String),
    level: 'error',
    event: 'log.failed',
    message: 'the log itself failed',
    reason: '{sink} failed',
  })
})

describe('for people', () => {
  test('an event is one line of time, level, sentence, key and fields', () => {
    const { log, lines } = logTo({ level: 'info', format: 'pretty' })
    log('readiness.lost', {
      url: 'http://127.0.0.1:3000',
      name: 'two words',
      port: 3000,
      proxy: null,
    })
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}not ready event=readiness\.lost url=http:\/\/127\.0\.0\.1:3000 name="two words" port=3000 proxy=null\n$/,
    )
  })

  test('no field takes the place of the key', () => {
    const { log, lines } = logTo({ level: 'info', format: 'pretty' })
    log('readiness.lost', { event: 'readiness.restored' })
    expect(lines[0]).toEndWith(' WARN  not ready event=readiness.lost\n')
  })

  test('nothing that a terminal would obey gets through', () => {
    const { log, lines } = logTo({ level: 'info', format: 'pretty' })
    log('http.request', { path: '/\u001b[2J\u009b2J\u007f\r\n' })
    expect(lines[0]?.trimEnd()).toMatch(/^\P{Cc}+$/u)
  })
})
