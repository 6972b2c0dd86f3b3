import type { CommandGroup } from '../command.ts'
import { HELP } from '../help.ts'
import { auditCommand } from './audit.ts'
import { backupCommand } from './backup.ts'
import { completionCommand } from './completion.ts'
import { contentCheckCommand } from './content-check.ts'
import { doctorCommand } from './doctor.ts'
import { eraseCommand } from './erase.ts'
import { exportCommand } from './export.ts'
import { grantCommand } from './grant.ts'
import { grantsCommand } from './grants.ts'
import { healthcheckCommand } from './healthcheck.ts'
import { logoutCommand } from './logout.ts'
import { migrateCommand } from './migrate.ts'
import { migrateDataCommand } from './migrate-data.ts'
import { openapiCommand } from './openapi.ts'
import { purchasesCommand } from './purchases.ts'
import { purchasesShowCommand } from './purchases-show.ts'
import { reconcileCommand } from './reconcile.ts'
import { restoreCommand } from './restore.ts'
import { revokeCommand } from './revoke.ts'
import { serveCommand } from './serve.ts'
import { serviceInstallCommand } from './service-install.ts'
import { servicePrintCommand } from './service-print.ts'
import { serviceStatusCommand } from './service-status.ts'
import { serviceUninstallCommand } from './service-uninstall.ts'
import { setupCommand } from './setup.ts'
import { statusCommand } from './status.ts'
import { unlockCommand } from './unlock.ts'
import { versionCommand } from './version.ts'

/** Every command, in the order in which help shows them. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'The service',
    commands: [serveCommand, healthcheckCommand, setupCommand, doctorCommand, contentCheckCommand],
  },
  {
    title: 'Customers',
    commands: [
      grantCommand,
      revokeCommand,
      statusCommand,
      grantsCommand,
      logoutCommand,
      unlockCommand,
      exportCommand,
      eraseCommand,
    ],
  },
  {
    title: 'Payments',
    commands: [purchasesCommand, purchasesShowCommand, reconcileCommand, auditCommand],
  },
  {
    title: 'The machine',
    commands: [
      migrateCommand,
      migrateDataCommand,
      backupCommand,
      restoreCommand,
      serviceInstallCommand,
      serviceUninstallCommand,
      serviceStatusCommand,
      servicePrintCommand,
    ],
  },
  { title: 'Reference', commands: [completionCommand, openapiCommand, versionCommand, HELP] },
]

export const COMMANDS = COMMAND_GROUPS.flatMap(({ commands }) => commands)
