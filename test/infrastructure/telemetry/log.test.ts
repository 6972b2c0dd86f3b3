import { describe, expect, test } from 'bun:test'
import { LOG_EVENTS, type LogEvent } from '../../../application/log-events.ts'
import type { Log } from '../../../application/ports.ts'
import { createLog } from '../../../infrastructure/telemetry/log.ts'
import { fixedClock, NOON } from '../../support/fakes.ts'

type Settings = Omit<Parameters<typeof createLog>[0], 'clock' | 'write'>

function logTo(settings: Settings) {
  const lines: string[] = []
  const clock = fixedClock(NOON)
  const log = createLog({ ...settings, clock, write: (line) => void lines.push(line) })
  return { log, lines, clock }
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

    expect(lines).toEqual([
      '{"time":"2026-03-01T12:00:00.000Z","level":"info","event":"service.serving","message":"serving",' +
        '"url":"http://127.0.0.1:3000","port":3000,"secure":false,"proxy":null}\n',
    ])
  })

  test('an event without fields is an object of four members', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log('service.stopped')
    expect(lines).toEqual([
      '{"time":"2026-03-01T12:00:00.000Z","level":"info","event":"service.stopped","message":"stopped"}\n',
    ])
  })

  test('every line has its own time', () => {
    const { log, lines, clock } = logTo({ level: 'info', format: 'json' })
    for (const milliseconds of [0, 0, 1, -1]) {
      clock.advance(milliseconds)
      log('service.serving')
    }
    expect(lines.map((line) => JSON.parse(line).time.slice(-5))).toEqual([
      '.000Z',
      '.000Z',
      '.001Z',
      '.000Z',
    ])
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

test('an error is handed on at once, behind its line, and nothing else is', () => {
  const flushedAt: number[] = []
  const { log, lines } = logTo({
    level: 'debug',
    format: 'json',
    flush: () => void flushedAt.push(lines.length),
  })
  logEachLevel(log)
  expect(flushedAt).toEqual([lines.length])
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
      /^12:00:00\.000 WARN {2}not ready event=readiness\.lost url=http:\/\/127\.0\.0\.1:3000 name="two words" port=3000 proxy=null\n$/,
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
