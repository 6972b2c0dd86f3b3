import { describe, expect, test } from 'bun:test'
import { COMMANDS, type CommandName, parseCommandLine } from '../../../interfaces/cli/commands.ts'

const parse = (line: string) => parseCommandLine(line === '' ? [] : line.split(' '))
const PLAIN = { envFile: null, json: false }

describe('commands', () => {
  test.each(['serve', 'migrate', 'healthcheck', 'openapi', 'version'] as const)(
    '%s is run as it is named',
    (command) => {
      expect(parse(command)).toEqual({ command, options: PLAIN })
    },
  )

  test('without one, help is shown', () => {
    expect(parse('')).toEqual({ command: 'help', topic: null })
  })

  test.each(['--help', '-h', 'help'])('%s is help on everything', (line) => {
    expect(parse(line)).toEqual({ command: 'help', topic: null })
  })

  test.each(COMMANDS.map(({ name }) => name))(
    'help %s and its --help are the same',
    (name: CommandName) => {
      const help = { command: 'help' as const, topic: name }
      expect(parse(`help ${name}`)).toEqual(help)
      expect(parse(`${name} --help`)).toEqual(help)
      expect(parse(`-h ${name}`)).toEqual(help)
    },
  )

  test('--version is the version command', () => {
    expect(parse('--version')).toEqual({ command: 'version', options: PLAIN })
  })
})

describe('options', () => {
  test.each(['serve --env-file a.env', '--env-file a.env serve', '--env-file=a.env serve'])(
    '%s names a settings file',
    (line) => {
      expect(parse(line)).toEqual({ command: 'serve', options: { envFile: 'a.env', json: false } })
    },
  )

  test('a settings file whose name looks like an option is taken behind an equals sign', () => {
    const options = { envFile: '-odd', json: false }
    expect(parse('serve --env-file=-odd')).toEqual({ command: 'serve', options })
  })

  test.each(['migrate', 'version'] as const)('%s writes JSON on request', (command) => {
    expect(parse(`${command} --json`)).toEqual({ command, options: { envFile: null, json: true } })
  })
})

describe('wrong usage', () => {
  test.each([
    ['start', 'unknown command "start"'],
    ['constructor', 'unknown command "constructor"'],
    ['help start', 'unknown command "start"'],
    ['serve now', 'serve does not take "now"'],
    ['serve -- now', 'serve does not take "now"'],
    ['help serve migrate', 'help does not take "migrate"'],
    ['serve --json', 'unknown option "--json"'],
    ['--json', 'unknown option "--json"'],
    ['serve --port=80', 'unknown option "--port"'],
    ['serve --version', 'unknown option "--version"'],
    ['serve -p 80', 'unknown option "-p"'],
    ['serve --__proto__', 'unknown option "--__proto__"'],
    ['version --no-json', 'unknown option "--no-json"'],
    ['version --json=yes', '--json takes no value'],
    ['serve --env-file', '--env-file needs a file'],
    ['serve --env-file=', '--env-file needs a file'],
    ['--env-file --help serve', '--env-file needs a file'],
  ])('%s: %s', (line, usageError) => {
    expect(parse(line)).toEqual({ usageError })
  })

  test('is told on one line, whatever was typed', () => {
    const { usageError } = parseCommandLine(['a\n\u001b[2Jb']) as { usageError: string }
    expect(usageError).toMatch(/^\P{Cc}+$/u)
  })
})
