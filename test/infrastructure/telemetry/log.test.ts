import { describe, expect, test } from 'bun:test'
import { createLog } from '../../../infrastructure/telemetry/log.ts'

type Settings = Omit<Parameters<typeof createLog>[0], 'write'>

function logTo(settings: Settings) {
  const lines: string[] = []
  const log = createLog({ ...settings, write: (line) => void lines.push(line) })
  return { log, lines }
}

describe('as JSON', () => {
  test('an event is one object on one line: time, level, event, fields', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log.info('serving', { url: 'http://127.0.0.1:3000', port: 3000, secure: false, proxy: null })

    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"info","event":"serving","url":"http:\/\/127\.0\.0\.1:3000","port":3000,"secure":false,"proxy":null\}\n$/,
    )
  })

  test('every level has its name', () => {
    const { log, lines } = logTo({ level: 'debug', format: 'json' })
    log.debug('z')
    log.info('a')
    log.warn('b')
    log.error('c')
    const levels = lines.map((line) => JSON.parse(line).level)
    expect(levels).toEqual(['debug', 'info', 'warn', 'error'])
  })

  test('no field takes the place of the time, the level or the event', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log.error('theft', { event: 'fine', level: 'info', time: 'never' })
    expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'theft', level: 'error' })
    expect(lines[0]).not.toContain('never')
  })

  test('a line break in a field does not make a second line', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log.info('asked', { path: '/\n{"level":"error"}' })
    expect(lines.join('').trimEnd()).not.toContain('\n')
    expect(JSON.parse(lines[0]!).path).toBe('/\n{"level":"error"}')
  })

  test('braces in an event are no placeholders', () => {
    const { log, lines } = logTo({ level: 'info', format: 'json' })
    log.info('GET /{id}', { id: 7 })
    expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'GET /{id}', id: 7 })
  })
})

test.each([
  ['debug', ['z', 'a', 'b', 'c']],
  ['info', ['a', 'b', 'c']],
  ['warn', ['b', 'c']],
  ['error', ['c']],
] as const)('at level %s less important events are left out', (level, events) => {
  const { log, lines } = logTo({ level, format: 'json' })
  log.debug('z')
  log.info('a')
  log.warn('b')
  log.error('c')
  expect(lines.map((line) => JSON.parse(line).event)).toEqual([...events])
})

test.each(['json', 'pretty'] as const)(
  'for the journal of systemd a line of %s begins with how grave it is, and only there',
  (format) => {
    const write = (priorities: boolean) => {
      const { log, lines } = logTo({ level: 'debug', format, priorities })
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('it happened')
      return lines.map((line) => line.slice(0, 3))
    }
    expect(write(true)).toEqual(['<7>', '<6>', '<4>', '<3>'])
    for (const beginning of write(false)) expect(beginning).not.toMatch(/^</)
  },
)

describe('for people', () => {
  test('an event is one line of time, level, event and fields', () => {
    const { log, lines } = logTo({ level: 'info', format: 'pretty' })
    log.warn('serving', {
      url: 'http://127.0.0.1:3000',
      name: 'two words',
      port: 3000,
      proxy: null,
    })
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}serving url=http:\/\/127\.0\.0\.1:3000 name="two words" port=3000 proxy=null\n$/,
    )
  })

  test('nothing that a terminal would obey gets through', () => {
    const { log, lines } = logTo({ level: 'info', format: 'pretty' })
    log.info('asked', { path: '/\u001b[2J\u009b2J\u007f\r\n' })
    expect(lines[0]?.trimEnd()).toMatch(/^\P{Cc}+$/u)
  })
})
