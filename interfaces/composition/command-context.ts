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
    async confirm(question, answer) {
      const { confirm } = await import('./confirmation.ts')
      return confirm(question, answer)
    },

    async withStore(work) {
      const { withStore } = await import('./open-store.ts')
      return withStore(environment, work)
    },
    async withPorts(work) {
      const { withPorts } = await import('./open-store.ts')
      return withPorts({ environment, progress }, work)
    },

    listenAddress: () => loadListenAddress(environment),
    async openService() {
      const { openService } = await import('./run-serve.ts')
      return openService(environment, { version })
    },
    async openChecks(asked) {
      const { openChecks } = await import('./run-doctor.ts')
      return openChecks(environment, { ...asked, envFile, version })
    },
    async describeApi() {
      const { describeApi } = await import('./run-openapi.ts')
      return describeApi(environment, { version })
    },
    async readContent(folder) {
      const { readContent } = await import('./run-content.ts')
      return readContent(folder)
    },

    async openMigration() {
      const { openMigration } = await import('./run-database.ts')
      return openMigration(environment)
    },
    async openDataMigration(databases) {
      const { openDataMigration } = await import('./run-data-migration.ts')
      return openDataMigration(environment, databases)
    },
    async openBackup(file) {
      const { openBackup } = await import('./run-database.ts')
      return openBackup(environment, file)
    },
    async openRestore(file) {
      const { openRestore } = await import('./run-database.ts')
      return openRestore(environment, file)
    },

    async openTerminal() {
      const { openTerminal } = await import('./terminal.ts')
      return openTerminal()
    },
    async openSetup(place, files) {
      const { openSetup } = await import('./run-setup.ts')
      return openSetup(place, { ...files, version })
    },
    async openInstallation(place) {
      const { openInstallation } = await import('./run-service.ts')
      return openInstallation(place)
    },
    async openServiceState() {
      const { openServiceState } = await import('./run-service.ts')
      return openServiceState()
    },
    async readUnit() {
      const { unitText } = await import('../../infrastructure/systemd/installed-files.ts')
      const { readLinkLocalNameServers } = await import(
        '../../infrastructure/systemd/name-servers.ts'
      )
      return unitText(readLinkLocalNameServers('/'))
    },
  }
}
