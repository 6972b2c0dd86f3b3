import { resolve } from 'node:path'
import { formatBytes, shellWord } from '../../../application/format.ts'
import type { CheckedBackup } from '../../../application/upkeep/reports.ts'
import type { Command } from '../command.ts'
import type { CommandContext, PreparedRestore } from '../command-context.ts'
import { JSON_OPTION, YES_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { withProgress } from '../progress.ts'

export const restoreCommand: Command<{ readonly file: string; readonly yes: boolean }> = {
  name: 'restore',
  summary: 'put a backup in the place of the database',
  operands: ['FILE'],
  options: [YES_OPTION, JSON_OPTION],
  details: `Checks FILE (its checksum where FILE.sha256 is there, its integrity, and that this executable knows
its schema) and puts a copy of it in the place of the database. The old database stays beside the
new one, and the line that is printed says where. Refuses while the service, or anything else, has
the database open. Asks first at a terminal. Once the service runs again it asks the payment
provider for what was sold since; tokens ended since, and grants given or revoked by hand, are as
they were. Refuses with PostgreSQL, which has tools of its own for this.
Needs no setting but DATABASE_URL.`,
  parse: ([file = ''], { yes }) => ({ file, yes: yes === true }),
  async run(context, { file, yes }) {
    // The advice may be followed in another folder.
    const envFile = context.envFile && resolve(context.envFile)
    const prepare = await context.openRestore(file)
    const confirm = (question: string) => context.confirm(question, { yes })
    return restore({ ...context, file, envFile, prepare, confirm })
  },
}

/** Checks the backup, asks, and puts it in the place of the database. */
export async function restore({
  file,
  envFile,
  prepare,
  confirm,
  json,
  print,
  printError,
  progress,
}: Pick<CommandContext, 'json' | 'print' | 'printError' | 'progress'> & {
  file: string
  /** The settings file that was named: without it, the advised commands would act on another database. */
  envFile: string | null
  prepare: (onStep: (step: string) => void) => PreparedRestore
  /** Resolves with whether to go on. */
  confirm: (question: string) => Promise<boolean>
}): Promise<number> {
  const prepared = withProgress(progress, prepare)
  try {
    if (!(await confirm(question(file, prepared)))) {
      printError('alibi: nothing was changed')
      return EXIT.failed
    }
    const kept = withProgress(progress, prepared.carryOut)
    if (json) print(JSON.stringify(report(file, prepared, kept)))
    else print(formatText(file, prepared, { kept, envFile }))
    return EXIT.done
  } finally {
    prepared.end()
  }
}

function question(file: string, { databasePath, ...backup }: PreparedRestore): string {
  return `Put ${file} (${describe(backup)}) in the place of ${databasePath}?`
}

function report(
  file: string,
  { databasePath, bytes, hadChecksum, version }: PreparedRestore,
  kept: string | null,
) {
  return { restored: file, database: databasePath, bytes, hadChecksum, version, kept }
}

function formatText(
  file: string,
  { databasePath, ...backup }: PreparedRestore,
  { kept, envFile }: { kept: string | null; envFile: string | null },
): string {
  const settings = envFile === null ? '' : ` --env-file ${shellWord(envFile)}`
  return [
    `Restored ${file} (${describe(backup)}) as ${databasePath}.`,
    ...(kept === null
      ? ['There was no database before.']
      : [
          `The old database is ${kept}. To go back: alibi restore ${shellWord(kept)}${settings}`,
          'It stays there until you remove it.',
        ]),
    'Start the service: it asks the payment provider for what was sold since the backup. What was refunded',
    `or disputed long before that, and has changed since: alibi reconcile --since 60d${settings}`,
  ].join('\n')
}

function describe({ bytes, hadChecksum, version }: CheckedBackup): string {
  const checksum = hadChecksum ? 'its checksum is right' : 'no checksum beside it'
  return `${formatBytes(bytes)} at ${version}, sound, ${checksum}`
}
