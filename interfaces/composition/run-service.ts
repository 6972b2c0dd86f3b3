import { resolve } from 'node:path'
import type { ServiceState } from '../../application/ports.ts'
import { installService } from '../../infrastructure/systemd/install-service.ts'
import { readServiceState } from '../../infrastructure/systemd/service-state.ts'
import { findSystemctl } from '../../infrastructure/systemd/systemctl.ts'
import {
  isServiceInstalled,
  uninstallService,
} from '../../infrastructure/systemd/uninstall-service.ts'
import type { Installation, InstallationPlace } from '../cli/command-context.ts'

/** The image of this process, also when its file was renamed or removed since it was started. */
const OWN_EXECUTABLE = '/proc/self/exe'
/** Every user has to be able to read the files that root installs. */
const UMASK = 0o022
const SYSTEM_ROOT = '/'

/** The system to change. The owner of an image may change it; only root may change this machine. */
export function openInstallation({ root: folder, command }: InstallationPlace): Installation {
  const root = resolve(folder)
  const isImage = root !== SYSTEM_ROOT
  if (!isImage && process.geteuid?.() !== 0) {
    throw new Error(`${command} changes this machine, which only root may do: run it with sudo`)
  }
  process.umask(UMASK)
  const systemctl = isImage ? null : findSystemctl()
  return {
    isInstalled: () => isServiceInstalled(root),
    async install({ completion }) {
      refuseSource()
      return installService({ root, systemctl, executable: OWN_EXECUTABLE, completion })
    },
    uninstall: async () => uninstallService({ root, systemctl }),
  }
}

/** Null where there is no systemd to ask. */
export function openServiceState(): (() => Promise<ServiceState>) | null {
  const systemctl = findSystemctl()
  return systemctl && (() => readServiceState(systemctl))
}

function refuseSource(): void {
  if (Bun.isStandaloneExecutable) return
  throw new Error('what runs from source cannot be installed: "npm run build" makes dist/alibi')
}
