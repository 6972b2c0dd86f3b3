import { randomBytes } from 'node:crypto'
import settings from './alibi.env' with { type: 'text' }
import unit from './alibi.service' with { type: 'text' }

/** Where everything of the service lies, as seen from the root of its system. */
export const PLACES = {
  executable: '/usr/local/bin/alibi',
  /** The one before the last upgrade. */
  previous: '/usr/local/bin/alibi.previous',
  unit: '/etc/systemd/system/alibi.service',
  /** What systemd starts with the machine lies in this folder as a link. */
  enabled: '/etc/systemd/system/multi-user.target.wants/alibi.service',
  completion: '/usr/local/share/bash-completion/completions/alibi',
  settings: '/etc/alibi/alibi.env',
  credentials: '/etc/alibi/credentials',
  data: '/var/lib/alibi',
} as const

/** The unit that is installed. */
export const UNIT_TEXT: string = unit

/** A file that is installed beside the executable. */
export type InstalledFile = {
  readonly path: string
  readonly text: string
  readonly mode: number
  /** Its owner may change it: ours are replaced at an upgrade, the operator's are written once. */
  readonly owner: 'us' | 'operator'
}

const JWT_SECRET_BYTES = 32

/** Those whose values are the operator's, and that are there from the beginning because the unit asks for them. */
const EMPTY_SECRETS = [
  'JWT_SECRET_PREVIOUS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'RESEND_API_KEY',
]

/**
 * Every file but the executable, in the order in which they are placed: with its settings a service is no longer new,
 * and with its unit it is installed. A JWT_SECRET is made for a service that is new: one that was lost later is not
 * replaced unnoticed, since every token of the service would end with it.
 */
export function installedFiles({
  completion,
  isNew,
}: {
  completion: string
  isNew: boolean
}): readonly InstalledFile[] {
  const secret = isNew ? `${randomBytes(JWT_SECRET_BYTES).toString('base64')}\n` : ''
  return [
    { path: PLACES.completion, text: completion, mode: 0o644, owner: 'us' },
    credential('JWT_SECRET', secret),
    ...EMPTY_SECRETS.map((name) => credential(name, '')),
    { path: PLACES.settings, text: settings, mode: 0o600, owner: 'operator' },
    { path: PLACES.unit, text: unit, mode: 0o644, owner: 'us' },
  ]
}

function credential(name: string, text: string): InstalledFile {
  return { path: `${PLACES.credentials}/${name}`, text, mode: 0o600, owner: 'operator' }
}
