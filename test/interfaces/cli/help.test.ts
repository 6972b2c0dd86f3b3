import { describe, expect, test } from 'bun:test'
import { JSON_OPTION, YES_OPTION } from '../../../interfaces/cli/command-words.ts'
import { COMMAND_GROUPS, COMMANDS } from '../../../interfaces/cli/commands/command-table.ts'
import { help, refuseUsage } from '../../../interfaces/cli/help.ts'

/** Help on the command of that name, or on all of them. */
function printed(name: string | null) {
  const texts: string[] = []
  const topic = COMMANDS.find((command) => command.name === name) ?? null
  const print = (text: string) => void texts.push(text)
  const exitCode = help({ topic, groups: COMMAND_GROUPS, print })
  return { exitCode, text: texts.join('\n') }
}

describe('help', () => {
  test('lists every command with its summary, the common options and the exit codes', () => {
    const { exitCode, text } = printed(null)
    expect(exitCode).toBe(0)
    for (const { name, summary } of COMMANDS) {
      expect(text).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'))
    }
    for (const words of ['--env-file FILE', '--help', '--version', '78'])
      expect(text).toContain(words)
  })

  test.each(COMMANDS)('on $name shows its usage, its details and its options', (command) => {
    const { name, operands, details, options } = command
    const { exitCode, text } = printed(name)
    expect(exitCode).toBe(0)
    expect(text).toStartWith(`Usage: ${['alibi', name, ...operands].join(' ')} [OPTION...]`)
    expect(text).toContain('--env-file FILE')
    expect(text).toContain(details)
    for (const option of options) expect(text).toContain(`--${option.name}`)
  })

  test('names JSON where there is something to read', () => {
    const readable = COMMANDS.filter(({ options }) => options.includes(JSON_OPTION))
    expect(readable.map(({ name }) => name)).toEqual([
      'doctor',
      'content check',
      'grant',
      'revoke',
      'status',
      'grants',
      'logout',
      'unlock',
      'export',
      'erase',
      'purchases',
      'purchases show',
      'reconcile',
      'audit',
      'migrate',
      'migrate-data',
      'backup',
      'restore',
      'service install',
      'service uninstall',
      'service status',
      'version',
    ])
    for (const { name } of readable) expect(printed(name).text).toContain('--json')
  })

  test("says which of the operator's commands need more than the database", () => {
    const needs = (topic: string) => /^Needs (.*?)(?:, and .*)?\.$/m.exec(printed(topic).text)?.[1]
    const onDatabase = [
      'grant',
      'revoke',
      'status',
      'grants',
      'logout',
      'unlock',
      'export',
    ] as const
    for (const name of [
      ...onDatabase,
      'audit',
      'purchases',
      'migrate',
      'migrate-data',
      'backup',
      'restore',
    ] as const) {
      expect([name, needs(name)]).toEqual([name, 'no setting but DATABASE_URL'])
    }
    for (const name of ['purchases show', 'reconcile', 'erase', 'doctor'] as const) {
      expect([name, needs(name)]).toEqual([name, 'the settings of the service'])
    }
  })

  test('names --yes where a command asks first, and only there', () => {
    const asking = COMMANDS.filter(({ details }) =>
      /\bAsks\s+first\s+at\s+a\s+terminal\b/.test(details),
    )
    const skipping = COMMANDS.filter(({ options }) => options.includes(YES_OPTION))
    expect(asking).toEqual(skipping)
    expect(asking.map(({ name }) => name)).toEqual([
      'setup',
      'erase',
      'restore',
      'service uninstall',
    ])
  })

  test('fits a terminal of 100 columns', () => {
    for (const topic of [null, ...COMMANDS.map(({ name }) => name)]) {
      for (const line of printed(topic).text.split('\n'))
        expect(line.length).toBeLessThanOrEqual(100)
    }
  })
})

test('wrong usage is reported on one line, with a hint on the next, and exits 2', () => {
  const lines: string[] = []
  const exitCode = refuseUsage({
    usageError: 'unknown command "x"',
    printError: (line) => void lines.push(line),
  })
  expect(exitCode).toBe(2)
  expect(lines).toEqual(['alibi: unknown command "x"', expect.stringContaining('alibi help')])
})
