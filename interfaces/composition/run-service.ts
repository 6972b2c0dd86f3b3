import { resolve } from 'node:path'
import { installService } from '../../infrastructure/systemd/install-service.ts'
import { UNIT_TEXT } from '../../infrastructure/systemd/installed-files.ts'
import { readServiceState } from '../../infrastructure/systemd/service-state.ts'
import { findSystemctl } from '../../infrastructure/systemd/systemctl.ts'
import {
  isServiceInstalled,
  uninstallService,
} from '../../infrastructure/systemd/uninstall-service.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { LineOf } from '../cli/command-line.ts'
import { completion } from '../cli/commands/completion.ts'
import { serviceInstall } from '../cli/commands/service-install.ts'
import { serviceStatus } from '../cli/commands/service-status.ts'
import { serviceUninstall } from '../cli/commands/service-uninstall.ts'
import { EXIT } from '../cli/exit-codes.ts'
import type { CommandContext } from './command-context.ts'
import { confirm } from './confirmation.ts'

/** The image of this process, also when its file was renamed or removed since it was started. */
const OWN_EXECUTABLE = '/proc/self/exe'
/** What root writes for everybody has to be readable by everybody. */
const UMASK = 0o022
const SYSTEM_ROOT = '/'

export async function runServiceCommand(
  { json, print, complain }: CommandContext,
  line: LineOf<'service install' | 'service uninstall' | 'service status' | 'service print'>,
): Promise<number> {
  switch (line.command) {
    case 'service print':
      print(UNIT_TEXT.trimEnd())
      return EXIT.done
    case 'service status': {
      const systemctl = findSystemctl()
      return serviceStatus({
        readState: systemctl && (() => readServiceState(systemctl)),
        json,
        print,
      })
    }
    case 'service install': {
      const { root, systemctl } = openSystem(line)
      refuseSource()
      const { version } = packageJson
      const plan = { root, systemctl, executable: OWN_EXECUTABLE, completion: completionText() }
      return serviceInstall({ install: () => installService(plan), version, json, print })
    }
    case 'service uninstall': {
      const { root, systemctl } = openSystem(line)
      return serviceUninstall({
        isInstalled: isServiceInstalled(root),
        uninstall: () => uninstallService({ root, systemctl }),
        confirm: (question) => confirm(question, line),
        json,
        print,
        complain,
      })
    }
  }
}

/** The system that is to be changed. An image is its owner's, this machine is root's. */
function openSystem({ command, root }: LineOf<'service install' | 'service uninstall'>) {
  const isImage = resolve(root) !== SYSTEM_ROOT
  if (!isImage && process.geteuid?.() !== 0) {
    throw new Error(`${command} changes this machine, which only root may do: run it with sudo`)
  }
  process.umask(UMASK)
  return { root: resolve(root), systemctl: isImage ? null : findSystemctl() }
}

function refuseSource(): void {
  if (Bun.isStandaloneExecutable) return
  throw new Error('what runs from source cannot be installed: "npm run build" makes dist/alibi')
}

function completionText(): string {
  const lines: string[] = []
  completion({ print: (text) => void lines.push(`${text}\n`) })
  return lines.join('')
}
