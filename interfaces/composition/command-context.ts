import { type Environment, loadListenAddress } from '../../infrastructure/config/config.ts'
import { monotonicMs, wait } from '../../infrastructure/system-clock.ts'
import type { CommandContext } from '../cli/command-context.ts'

/** What a command gets from the process itself. */
type Given = Pick<
  CommandContext,
  'commands' | 'version' | 'commit' | 'json' | 'envFile' | 'print' | 'printError' | 'progress'
>

/** All that a command can ask for. What only some of them need is imported when one asks for it. */
export function commandContext(environment: Environment, given: Given): CommandContext {
  const { envFile, progress, version } = given
  return {
    ...given,
    wait,
    monotonicMs,
    confirm: async (question, answer) =>
      (await import('./confirmation.ts')).confirm(question, answer),

    withStore: async (work) => (await import('./open-store.ts')).withStore(environment, work),
    withPorts: async (work) =>
      (await import('./open-store.ts')).withPorts({ environment, progress }, work),

    listenAddress: () => loadListenAddress(environment),
    openService: async () => (await import('./run-serve.ts')).openService(environment, { version }),
    openChecks: async (asked) =>
      (await import('./run-doctor.ts')).openChecks(environment, { ...asked, envFile, version }),
    describeApi: async () =>
      (await import('./run-openapi.ts')).describeApi(environment, { version }),
    async readContent(folder) {
      const { OWN_LIMITS } = await import('../../infrastructure/content/check-content.ts')
      const { proofreadFolder } = await import(
        '../../infrastructure/content/proofreading/proofread.ts'
      )
      return proofreadFolder(folder, OWN_LIMITS)
    },

    openMigration: async () => (await import('./run-database.ts')).openMigration(environment),
    openDataMigration: async (databases) =>
      (await import('./run-data-migration.ts')).openDataMigration(environment, databases),
    openBackup: async (file) => (await import('./run-database.ts')).openBackup(environment, file),
    openRestore: async (file) => (await import('./run-database.ts')).openRestore(environment, file),

    openTerminal: async () => (await import('./terminal.ts')).openTerminal(),
    openSetup: async (place, files) =>
      (await import('./run-setup.ts')).openSetup(place, { ...files, version }),
    openInstallation: async (place) => (await import('./run-service.ts')).openInstallation(place),
    openServiceState: async () => (await import('./run-service.ts')).openServiceState(),
    async readUnit() {
      const { unitText } = await import('../../infrastructure/systemd/installed-files.ts')
      const { readLinkLocalNameServers } = await import(
        '../../infrastructure/systemd/name-servers.ts'
      )
      return unitText(readLinkLocalNameServers('/'))
    },
  }
}
