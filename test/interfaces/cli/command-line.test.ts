import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import type { Command } from '../../../interfaces/cli/command.ts'
import { parseCommandLine } from '../../../interfaces/cli/command-line.ts'
import type { Option } from '../../../interfaces/cli/command-words.ts'
import { COMMANDS } from '../../../interfaces/cli/commands/command-table.ts'

const parse = (line: string) => parseWords(line === '' ? [] : line.split(' '))

/** What was asked for, with names in the place of commands. */
function parseWords(argv: readonly string[]): object {
  const line = parseCommandLine(argv, COMMANDS)
  if ('usageError' in line) return line
  if ('topic' in line) return { command: 'help', topic: line.topic?.name ?? null }
  const { command, asked, options } = line
  return { command: command.name, ...asked, options }
}

const PLAIN = { envFile: null, json: false }
const JSON_ASKED = { envFile: null, json: true }
const ANNA = 'anna@example.com' as Email

describe('commands', () => {
  test.each([
    'serve',
    'migrate',
    'healthcheck',
    'grants',
    'audit',
    'service status',
    'service print',
    'openapi',
    'version',
  ] as const)('%s is run as it is named', (command) => {
    expect(parse(command)).toEqual({ command, options: PLAIN })
  })

  test('without one, help is shown', () => {
    expect(parse('')).toEqual({ command: 'help', topic: null })
  })

  test.each(['--help', '-h', 'help'])('%s is help on everything', (line) => {
    expect(parse(line)).toEqual({ command: 'help', topic: null })
  })

  test.each(COMMANDS.map(({ name }) => name))('help %s and its --help are the same', (name) => {
    const help = { command: 'help' as const, topic: name }
    expect(parse(`help ${name}`)).toEqual(help)
    expect(parse(`${name} --help`)).toEqual(help)
    expect(parse(`-h ${name}`)).toEqual(help)
  })

  test('one of two words may stand in one argument', () => {
    const help = { command: 'help' as const, topic: 'purchases show' as const }
    expect(parseWords(['help', 'purchases show'])).toEqual(help)
    expect(parseWords(['purchases show', '--help'])).toEqual(help)
  })

  test('--version is the version command', () => {
    expect(parse('--version')).toEqual({ command: 'version', options: PLAIN })
  })
})

describe('an address', () => {
  test.each(['grant', 'revoke', 'status', 'logout', 'unlock', 'export'] as const)(
    '%s takes one, in any spelling',
    (command) => {
      expect(parse(`${command} anna@example.com`)).toEqual({ command, email: ANNA, options: PLAIN })
      expect(parseWords([command, ' Anna@EXAMPLE.com\t', '--json'])).toEqual({
        command,
        email: ANNA,
        options: JSON_ASKED,
      })
    },
  )

  test('erase takes one, and does not ask with --yes', () => {
    const plain = { command: 'erase', email: ANNA, yes: false, options: PLAIN } as const
    expect(parse('erase Anna@example.com')).toEqual(plain)
    expect(parse('--yes erase anna@example.com')).toEqual({ ...plain, yes: true })
    expect(parse('erase --json anna@example.com --yes')).toEqual({
      ...plain,
      yes: true,
      options: JSON_ASKED,
    })
  })

  test('that looks like an option is taken behind two dashes', () => {
    expect(parse('grant -- -anna@example.com')).toMatchObject({
      email: '-anna@example.com' as Email,
    })
  })

  test('that is none is quoted on one line, whatever is in it', () => {
    const hidden = 'a\u009b2J\u202eb\u2028c\u0000@example.com'
    const { usageError } = parseWords(['grant', hidden]) as { usageError: string }
    expect(usageError).toBe(
      'grant needs an address such as anna@example.com, not ' +
        '"a\\u{9b}2J\\u{202e}b\\u{2028}c\\u0000@example.com"',
    )
  })
})

describe('purchases', () => {
  const list = { command: 'purchases', options: PLAIN } as const

  test('are listed, all of them or those that wait', () => {
    expect(parse('purchases')).toEqual({ ...list, review: false })
    expect(parse('purchases --review')).toEqual({ ...list, review: true })
    expect(parse('--review --json purchases')).toEqual({
      ...list,
      review: true,
      options: { envFile: null, json: true },
    })
  })

  test('show takes one by its id', () => {
    const one = { command: 'purchases show', id: 'pur_0abc' as PurchaseId } as const
    expect(parse('purchases show pur_0abc')).toEqual({ ...one, options: PLAIN })
    expect(parse('purchases --json show pur_0abc')).toEqual({
      ...one,
      options: { envFile: null, json: true },
    })
  })
})

describe('reconcile', () => {
  const plain = { command: 'reconcile', sinceMs: null, dryRun: false, options: PLAIN } as const

  test('looks back as far as it has to, or as far as it is told', () => {
    expect(parse('reconcile')).toEqual(plain)
    expect(parse('reconcile --since 45s')).toEqual({ ...plain, sinceMs: 45_000 })
    expect(parse('reconcile --since=3650d')).toEqual({ ...plain, sinceMs: 3650 * DAY_MS })
  })

  test('may be asked what it would do', () => {
    expect(parse('reconcile --dry-run --json')).toEqual({
      ...plain,
      dryRun: true,
      options: { envFile: null, json: true },
    })
  })
})

describe('doctor', () => {
  const plain = { command: 'doctor', mailTo: null, offline: false, options: PLAIN } as const

  test('asks every provider, or none with --offline', () => {
    expect(parse('doctor')).toEqual(plain)
    expect(parse('doctor --offline --json')).toEqual({
      ...plain,
      offline: true,
      options: JSON_ASKED,
    })
  })

  test('sends a test mail to an address, in any spelling', () => {
    expect(parse('doctor --mail-to Anna@EXAMPLE.com')).toEqual({ ...plain, mailTo: ANNA })
    expect(parse('--mail-to=anna@example.com doctor')).toEqual({ ...plain, mailTo: ANNA })
  })
})

describe('a database file', () => {
  test('is what backup writes', () => {
    const plain = { command: 'backup', file: '/srv/a b.db', options: PLAIN } as const
    expect(parseWords(['backup', '/srv/a b.db'])).toEqual(plain)
    expect(parseWords(['--json', 'backup', '/srv/a b.db'])).toEqual({
      ...plain,
      options: JSON_ASKED,
    })
  })

  test('is what restore reads, and restore does not ask with --yes', () => {
    const plain = { command: 'restore', file: 'a.db', yes: false, options: PLAIN } as const
    expect(parse('restore a.db')).toEqual(plain)
    expect(parse('restore a.db --yes --json')).toEqual({ ...plain, yes: true, options: JSON_ASKED })
  })

  test.each(['backup', 'restore'] as const)(
    'whose name looks like an option is taken by %s behind two dashes',
    (command) => {
      expect(parse(`${command} -- --odd`)).toMatchObject({ command, file: '--odd' })
    },
  )
})

describe('service', () => {
  const plain = { root: '/', yes: false, options: PLAIN } as const

  test.each([
    ['service install', { root: '/', options: PLAIN }],
    ['service uninstall', plain],
  ] as const)('%s works on this machine, or on an image', (command, plain) => {
    expect(parse(command)).toEqual({ command, ...plain })
    expect(parse(`${command} --root /mnt/image --json`)).toEqual({
      command,
      ...plain,
      root: '/mnt/image',
      options: JSON_ASKED,
    })
  })

  test('uninstall does not ask with --yes', () => {
    const command = 'service uninstall' as const
    expect(parse('service --yes uninstall')).toEqual({ command, ...plain, yes: true })
  })
})

test('completion is for a shell', () => {
  const bash = { command: 'completion', options: PLAIN } as const
  expect(parse('completion bash')).toEqual(bash)
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
    ['help purchases all', 'help does not take "all"'],
    ['serve --json', 'serve does not take --json'],
    ['--json', 'help does not take --json'],
    ['serve --port=80', 'unknown option "--port"'],
    ['serve --version', 'serve does not take --version'],
    ['serve -p 80', 'unknown option "-p"'],
    ['serve --__proto__', 'unknown option "--__proto__"'],
    ['version --no-json', 'unknown option "--no-json"'],
    ['version --json=yes', '--json takes no value'],
    ['serve --env-file', '--env-file needs a file'],
    ['serve --env-file=', '--env-file needs a file'],
    ['--env-file --help serve', '--env-file needs a file'],
    ['grant', 'grant needs EMAIL: alibi grant EMAIL'],
    ['revoke --json', 'revoke needs EMAIL: alibi revoke EMAIL'],
    ['grant anna', 'grant needs an address such as anna@example.com, not "anna"'],
    ['status a@b', 'status needs an address such as anna@example.com, not "a@b"'],
    ['grant a@b.se c@d.se', 'grant does not take "c@d.se"'],
    ['grant a@b.se --review', 'grant does not take --review'],
    ['status a@b.se --dry-run', 'status does not take --dry-run'],
    ['purchases all', 'purchases does not take "all"'],
    ['purchases --since 1d', 'purchases does not take --since'],
    ['purchases --review=no', '--review takes no value'],
    ['purchases show', 'purchases show needs ID: alibi purchases show ID'],
    ['purchases show pur_1 pur_2', 'purchases show does not take "pur_2"'],
    ['purchases show pur_1 --review', 'purchases show does not take --review'],
    ['purchases show cs_1', 'purchases show needs an ID as "alibi purchases" lists it, not "cs_1"'],
    ['logout', 'logout needs EMAIL: alibi logout EMAIL'],
    ['unlock anna', 'unlock needs an address such as anna@example.com, not "anna"'],
    ['export a@b', 'export needs an address such as anna@example.com, not "a@b"'],
    ['export a@b.se --yes', 'export does not take --yes'],
    ['erase', 'erase needs EMAIL: alibi erase EMAIL'],
    ['erase --yes', 'erase needs EMAIL: alibi erase EMAIL'],
    ['erase anna', 'erase needs an address such as anna@example.com, not "anna"'],
    ['erase a@b.se c@d.se', 'erase does not take "c@d.se"'],
    ['erase a@b.se --yes=no', '--yes takes no value'],
    ['erase a@b.se -y', 'unknown option "-y"'],
    ['grants all', 'grants does not take "all"'],
    ['grants --review', 'grants does not take --review'],
    ['reconcile now', 'reconcile does not take "now"'],
    ['reconcile --review', 'reconcile does not take --review'],
    ['reconcile --dry-run=1', '--dry-run takes no value'],
    ['doctor all', 'doctor does not take "all"'],
    ['doctor --yes', 'doctor does not take --yes'],
    ['doctor --offline=no', '--offline takes no value'],
    ['doctor --mail-to', '--mail-to needs an address such as anna@example.com'],
    ['doctor --mail-to=', '--mail-to needs an address such as anna@example.com'],
    ['doctor --mail-to anna', '--mail-to needs an address such as anna@example.com'],
    ['doctor --mail-to --json', '--mail-to needs an address such as anna@example.com'],
    ['doctor --offline --mail-to a@b.se', '--mail-to and --offline exclude each other'],
    ['serve --offline', 'serve does not take --offline'],
    ['backup', 'backup needs FILE: alibi backup FILE'],
    ['backup ', 'backup needs FILE: alibi backup FILE'],
    ['backup a.db b.db', 'backup does not take "b.db"'],
    ['backup a.db --yes', 'backup does not take --yes'],
    ['restore', 'restore needs FILE: alibi restore FILE'],
    ['restore ', 'restore needs FILE: alibi restore FILE'],
    ['restore --yes', 'restore needs FILE: alibi restore FILE'],
    ['restore a.db b.db', 'restore does not take "b.db"'],
    ['service', 'service needs one of install, uninstall, status, print'],
    ['service start', 'service needs one of install, uninstall, status, print'],
    ['service --help', 'service needs one of install, uninstall, status, print'],
    ['help service', 'service needs one of install, uninstall, status, print'],
    ['service install now', 'service install does not take "now"'],
    ['service install --root', '--root needs a folder'],
    ['service install --root=', '--root needs a folder'],
    ['service install --yes', 'service install does not take --yes'],
    ['service status --root /mnt', 'service status does not take --root'],
    ['service print --json', 'service print does not take --json'],
    ['completion', 'completion needs SHELL: alibi completion SHELL'],
    ['completion fish', 'completion knows the shell bash, not "fish"'],
    ['completion bash zsh', 'completion does not take "zsh"'],
    ['install', 'unknown command "install"'],
    ['print service', 'unknown command "print"'],
  ])('%s: %s', (line, usageError) => {
    expect(parse(line)).toEqual({ usageError })
  })

  test.each(['', '=', ' --dry-run', ' -1d', ' 0d', ' 30', ' 1w', ' 3651d', ' 315360001s', '=1.5h'])(
    'reconcile --since%s: names what it needs, and not what was given',
    (rest) => {
      expect(parse(`reconcile --since${rest}`)).toEqual({
        usageError: '--since needs a duration such as 45s, 10m, 12h or 30d, at most 3650d',
      })
    },
  )

  test('is reported on one line, with any input', () => {
    const { usageError } = parseWords(['a\n\u001b[2Jb']) as { usageError: string }
    expect(usageError).toMatch(/^\P{Cc}+$/u)
  })
})

test('a command of two words and its own option are known as soon as the table names them', () => {
  const tidy: Option = { name: 'tidy', type: 'boolean', summary: '' }
  const words = { name: 'shelf check', summary: '', operands: ['FOLDER'], details: '' }
  const check: Command<{ folder: string; tidy: boolean }> = {
    ...words,
    options: [tidy],
    parse: ([folder = ''], values) => ({ folder, tidy: values['tidy'] === true }),
    run: () => 0,
  }
  const commands = [...COMMANDS, check]
  expect(parseCommandLine(['shelf', 'check', 'texts', '--tidy'], commands)).toEqual({
    command: check,
    asked: { folder: 'texts', tidy: true },
    options: PLAIN,
  })
  expect(parseCommandLine(['shelf'], commands)).toEqual({
    usageError: 'shelf needs one of check',
  })
  expect(parseCommandLine(['serve', '--tidy'], commands)).toEqual({
    usageError: 'serve does not take --tidy',
  })
})
