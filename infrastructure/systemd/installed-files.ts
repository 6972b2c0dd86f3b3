import { randomBytes } from 'node:crypto'
import { SECRETS } from '../config/secret-settings.ts'
import settings from './alibi.env' with { type: 'text' }
import unit from './alibi.service' with { type: 'text' }

/** Where everything of the service lies, as seen from the root of its system. */
export const PLACES = {
  executable: '/usr/local/bin/alibi',
  /** The one before the last upgrade. */
  previous: '/usr/local/bin/alibi.previous',
  unit: '/etc/systemd/system/alibi.service',
  /** A link in this folder makes systemd start the service with the machine. */
  enabled: '/etc/systemd/system/multi-user.target.wants/alibi.service',
  completion: '/usr/local/share/bash-completion/completions/alibi',
  settings: '/etc/alibi/alibi.env',
  credentials: '/etc/alibi/credentials',
  data: '/var/lib/alibi',
} as const

const DENIED = /^IPAddressDeny=.*\n/m

/** The settings file of a new service. */
export const SETTINGS_TEMPLATE = settings

/** The unit that is installed on a system that asks these link-local name servers. */
export function unitText(nameServers: readonly string[]): string {
  if (nameServers.length === 0) return unit
  const allowed = `# A name server of /etc/resolv.conf.\nIPAddressAllow=${nameServers.join(' ')}\n`
  return unit.replace(DENIED, (denied) => denied + allowed)
}

/** A file that is installed beside the executable. */
export type InstalledFile = {
  readonly path: string
  readonly text: string
  readonly mode: number
  /** Its owner may change it: ours are replaced at an upgrade, the operator's are written once. */
  readonly owner: 'us' | 'operator'
}

const JWT_SECRET_BYTES = 32

/**
 * Every file but the executable, in the order in which they are placed: with its settings a service is no longer new,
 * and with its unit it is installed. Only a new service gets a JWT_SECRET: to replace a lost one unnoticed would end
 * every token of the service.
 */
export function installedFiles({
  completion,
  isNew,
  nameServers,
}: {
  completion: string
  isNew: boolean
  /** The link-local ones. */
  nameServers: readonly string[]
}): readonly InstalledFile[] {
  const secret = isNew ? `${randomBytes(JWT_SECRET_BYTES).toString('base64')}\n` : ''
  return [
    { path: PLACES.completion, text: completion, mode: 0o644, owner: 'us' },
    // The operator knows the others. Their files are there from the beginning because the unit asks for them.
    ...SECRETS.map((name) => credential(name, name === 'JWT_SECRET' ? secret : '')),
    { path: PLACES.settings, text: settings, mode: 0o600, owner: 'operator' },
    { path: PLACES.unit, text: unitText(nameServers), mode: 0o644, owner: 'us' },
  ]
}

function credential(name: string, text: string): InstalledFile {
  return { path: `${PLACES.credentials}/${name}`, text, mode: 0o600, owner: 'operator' }
}
