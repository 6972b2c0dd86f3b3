import { readFileSync } from 'node:fs'
import { reasonOf } from '../application/error-report.ts'
import { onFirstUse } from '../application/first-use.ts'
import { ConfigError } from '../infrastructure/config/config.ts'
import { withEnvFile } from '../infrastructure/config/env-file.ts'
import { isJournal, JOURNAL_PRIORITIES } from '../infrastructure/systemd/journal.ts'
import packageJson from '../package.json' with { type: 'json' }
import { parseCommandLine } from './cli/command-line.ts'
import { COMMAND_GROUPS, COMMANDS } from './cli/commands/command-table.ts'
import { EXIT } from './cli/exit-codes.ts'
import { help, refuseUsage } from './cli/help.ts'
import { commandContext } from './composition/command-context.ts'

// Where it begins: the command line in, the exit code out. A command imports what only some commands need when it asks
// for it, so that the small ones start in a few milliseconds.

/** Defined when an executable is compiled. */
declare const ALIBI_COMMIT: string | undefined
const commit = typeof ALIBI_COMMIT === 'undefined' ? 'unknown' : ALIBI_COMMIT

// Makes no stream of `process` before one is used: that takes some milliseconds.
const print = (text: string) => void process.stdout.write(`${text}\n`)
const STDERR = 2
const errorPriority = isJournal(STDERR, process.env['JOURNAL_STREAM'])
  ? JOURNAL_PRIORITIES.error
  : ''
const printError = (text: string) => void process.stderr.write(`${errorPriority}${text}\n`)
const readFile = (path: string) => readFileSync(path, 'utf8')

const exitCode = await main(process.argv.slice(2))
// A failure may have left something open, such as a listener or an answer under way, that would keep the process alive.
if (exitCode !== EXIT.done) process.exit(exitCode)

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv)
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) printError(`alibi: ${problem}`)
      return EXIT.wrongSettings
    }
    printError(`alibi: ${reasonOf(error)}`)
    return EXIT.failed
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv, COMMANDS)
  if ('usageError' in line) return refuseUsage({ ...line, printError })
  if ('topic' in line) return help({ ...line, groups: COMMAND_GROUPS, print })

  const { command, asked, options } = line
  const isFileRead = options.envFile !== null && !command.writesSettings
  const env = isFileRead ? withSettingsFile(options.envFile) : process.env
  const watchReader = onFirstUse(() => process.stdout.on('error', endUnread))
  function printWatched(text: string): void {
    if (!command.outlivesItsReader) watchReader()
    print(text)
  }
  const { version } = packageJson
  const output = { print: printWatched, printError, progress: showProgress }
  const given = { ...output, ...options, commands: COMMANDS, version, commit }
  return command.run(commandContext({ env, readFile }, given), asked)
}

/** A reader that closes the pipe early, as in "alibi purchases | head", is no failure; a full disk is one. */
function endUnread({ code }: NodeJS.ErrnoException): void {
  process.exit(code === 'EPIPE' ? EXIT.done : EXIT.failed)
}

/** Rewrites the last line of a terminal; null clears it. A file or a pipe gets none of it. */
function showProgress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line ?? ''}`)
}

function withSettingsFile(path: string): ReturnType<typeof withEnvFile> {
  const text = readSettingsFile(path)
  try {
    return withEnvFile(process.env, text)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(error.problems.map((problem) => `--env-file: ${path}, ${problem}`))
  }
}

function readSettingsFile(path: string): string {
  try {
    return readFile(path)
  } catch {
    throw new ConfigError([`--env-file: ${path} must be a readable file`])
  }
}
