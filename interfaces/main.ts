import { readFileSync } from 'node:fs'
import { reasonOf } from '../application/reason-of.ts'
import { ConfigError, loadListenAddress } from '../infrastructure/config/config.ts'
import { withEnvFile } from '../infrastructure/config/env-file.ts'
import { isJournal, JOURNAL_PRIORITIES } from '../infrastructure/systemd/journal.ts'
import packageJson from '../package.json' with { type: 'json' }
import { parseCommandLine } from './cli/command-line.ts'
import { version } from './cli/commands/version.ts'
import { EXIT } from './cli/exit-codes.ts'
import { help, refuseUsage } from './cli/help.ts'
import type { CommandContext } from './composition/command-context.ts'

// Where it begins: the command line in, the exit code out. What only one command needs is imported by that command, so
// that the small ones start in a few milliseconds.

/** Put in where an executable is compiled. */
declare const ALIBI_COMMIT: string | undefined
const commit = typeof ALIBI_COMMIT === 'undefined' ? 'unknown' : ALIBI_COMMIT

const print = (text: string) => void process.stdout.write(`${text}\n`)
const complaint = isJournal(process.stderr.fd, process.env['JOURNAL_STREAM'])
  ? JOURNAL_PRIORITIES.error
  : ''
const complain = (text: string) => void process.stderr.write(`${complaint}${text}\n`)
const readFile = (path: string) => readFileSync(path, 'utf8')

const exitCode = await main(process.argv.slice(2))
// What failed may have left something open (a listener, an answer under way) that would keep the process alive.
if (exitCode !== EXIT.done) process.exit(exitCode)

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv)
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) complain(`alibi: ${problem}`)
      return EXIT.wrongSettings
    }
    complain(`alibi: ${reasonOf(error)}`)
    return EXIT.failed
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv)
  if ('usageError' in line) return refuseUsage({ ...line, complain })
  if (line.command === 'help') return help({ topic: line.topic, print })

  const { envFile, json } = line.options
  const env = envFile === null ? process.env : withSettingsFile(envFile)
  const surroundings = { env, readFile }
  const context: CommandContext = { surroundings, json, print, complain, progress: showProgress }
  if (line.command !== 'serve') process.stdout.on('error', endUnread)
  switch (line.command) {
    case 'serve': {
      const { runServe } = await import('./composition/run-serve.ts')
      return runServe(context)
    }
    case 'migrate': {
      const { runMigrate } = await import('./composition/run-database.ts')
      return runMigrate(context)
    }
    case 'backup': {
      const { runBackup } = await import('./composition/run-database.ts')
      return runBackup(context, line)
    }
    case 'restore': {
      const { runRestore } = await import('./composition/run-database.ts')
      return runRestore(context, line)
    }
    case 'doctor': {
      const { runDoctor } = await import('./composition/run-doctor.ts')
      return runDoctor(context, line)
    }
    case 'healthcheck': {
      const { healthcheck } = await import('./cli/commands/healthcheck.ts')
      return healthcheck({ ...loadListenAddress(surroundings), print })
    }
    case 'grant':
    case 'revoke':
    case 'status':
    case 'grants':
    case 'logout':
    case 'unlock':
    case 'export':
    case 'erase': {
      const { runCustomerCommand } = await import('./composition/run-customers.ts')
      return runCustomerCommand(context, line)
    }
    case 'purchases':
    case 'purchases show':
    case 'reconcile': {
      const { runPaymentCommand } = await import('./composition/run-payments.ts')
      return runPaymentCommand(context, line)
    }
    case 'service install':
    case 'service uninstall':
    case 'service status':
    case 'service print': {
      const { runServiceCommand } = await import('./composition/run-service.ts')
      return runServiceCommand(context, line)
    }
    case 'completion': {
      const { completion } = await import('./cli/commands/completion.ts')
      return completion({ print })
    }
    case 'openapi': {
      const { runOpenapi } = await import('./composition/run-openapi.ts')
      return runOpenapi(context)
    }
    case 'version':
      return version({ number: packageJson.version, commit, json, print })
  }
}

/** Whoever reads the first lines and goes is no failure, as with "alibi purchases | head"; a full disk is one. */
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
