import type { UninstallReport } from '../../../application/upkeep/reports.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, ROOT_OPTION, YES_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'

export const serviceUninstallCommand: Command<{ readonly root: string; readonly yes: boolean }> = {
  name: 'service uninstall',
  summary: 'take the systemd service away, and keep its data',
  operands: [],
  options: [ROOT_OPTION, YES_OPTION, JSON_OPTION],
  details: `Stops the service and takes its unit and the executable away. The database, its backups, the
settings and the secrets stay where they are, and the lines that are printed say where. Asks first
at a terminal. Needs root, except for an image (--root).`,
  parse: (_, { root = '/', yes }) => ({ root: String(root), yes: yes === true }),
  async run(context, { root, yes }) {
    const command = 'service uninstall'
    const { isInstalled, uninstall } = await context.openInstallation({ root, command })
    const confirm = (question: string) => context.confirm(question, { yes })
    return serviceUninstall({ ...context, isInstalled: isInstalled(), uninstall, confirm })
  },
}

const QUESTION = 'Stop the service and take its unit and the executable away? Its data stays.'

/** Takes the service away, once that was confirmed, and says what is still there. */
export async function serviceUninstall({
  isInstalled,
  uninstall,
  confirm,
  json,
  print,
  printError,
}: Pick<CommandContext, 'json' | 'print' | 'printError'> & {
  isInstalled: boolean
  uninstall: () => Promise<UninstallReport>
  confirm: (question: string) => Promise<boolean>
}): Promise<number> {
  if (isInstalled && !(await confirm(QUESTION))) {
    printError('alibi: nothing was changed')
    return EXIT.failed
  }
  const { removed, kept } = await uninstall()
  if (json) print(JSON.stringify({ removed, kept }))
  else {
    if (removed.length === 0) print('The service is not installed.')
    for (const path of removed) print(`removed  ${path}`)
    for (const path of kept) print(`kept     ${path}`)
  }
  return EXIT.done
}
