import {
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  type CurrentSettings,
  type SecretFile,
  type SettingsPlan,
  WRITTEN_SECRETS,
} from '../../application/setup/plan-settings.ts'
import { mailProviderOf } from '../../application/setup/questions.ts'
import { parseEnvFile } from '../config/env-file.ts'
import { SECRETS } from '../config/secret-settings.ts'
import { secretIn } from '../config/settings-source.ts'
import { readIfThere, withFile } from '../files/open-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import { refuseForeignLinks } from '../rights/state-folder.ts'

const SECRET_MODE = 0o600
const FOLDER_MODE = 0o700
const RIGHTS = 0o777
const OTHERS = 0o077
const BYTES_MAX = 64 * 1024

/** Where setup reads and writes. */
export type SettingsPlace = {
  readonly envFile: string
  /** The folder for secrets that the command line names; null for the one that the settings name, if any. */
  readonly credentials: string | null
  /** What a settings file begins as where there is none; null for an empty one. */
  readonly template: string | null
}

/**
 * What is there. Throws `ConfigError` where the settings file cannot be understood, and where a file cannot be read.
 */
export function readSettings({ envFile, credentials, template }: SettingsPlace): CurrentSettings {
  refuseForeignLinks(envFile)
  const text = readFile(envFile) ?? template
  const values = new Map(Object.entries(parseEnvFile(text ?? '')))
  const folder = credentials ?? values.get('CREDENTIALS_DIRECTORY') ?? null
  const path = folder ? resolve(folder) : null
  if (path !== null) refuseOthersFolder(path)
  const files = new Map(
    SECRETS.flatMap((name): (readonly [string, SecretFile])[] => {
      const named = values.get(`${name}_FILE`) || null
      const place = named ?? (path === null ? null : join(path, name))
      const value = place === null ? null : readFile(place)
      return place === null || value === null
        ? []
        : [[name, { path: place, value: secretIn(value) }] as const]
    }),
  )
  return { text, values, files, folder: path }
}

/**
 * Writes what the plan says, each file whole or not at all, the settings file last. A file that is right already is not
 * touched. What holds secrets is its owner's alone.
 */
export function writeSettings(envFile: string, plan: SettingsPlan, current: CurrentSettings): void {
  if (current.folder !== null && plan.secrets.length > 0) makeSecretFolder(current.folder)
  for (const { path, value } of plan.secrets) {
    writeWhole(path, value === '' ? '' : `${value}\n`, SECRET_MODE)
  }
  const path = followLink(envFile)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (plan.text !== current.text) {
    const mode = stats && !plan.holdsSecrets ? stats.mode & RIGHTS : SECRET_MODE
    writeWhole(path, plan.text, mode)
  } else if (stats && plan.holdsSecrets) closeToOthers(path, SECRET_MODE)
}

/**
 * The secret that a file named by the operator holds. Opened with the rights of the caller.
 */
export function readSecretFile(path: string): string {
  refuseForeignLinks(path)
  const text = readFileSync(path, 'utf8')
  if (text.length > BYTES_MAX) throw new Error('it is too large for a secret')
  return secretIn(text)
}

function readFile(path: string): string | null {
  try {
    return readIfThere(path)
  } catch (error) {
    throw new Error(`${path} cannot be read`, { cause: error })
  }
}

/** The file that a link leads to, so that the link stays. */
function followLink(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(path) : path
}

function makeSecretFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  refuseOthersFolder(path)
  closeToOthers(path, FOLDER_MODE)
}

/** Secrets are not kept where another user, who is not root, could replace them. */
function refuseOthersFolder(path: string): void {
  refuseForeignLinks(path)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isDirectory()) throw new Error(`${path} is no folder`)
  if (stats.uid !== 0 && stats.uid !== process.geteuid?.()) {
    throw new Error(
      `${path} belongs to user ${stats.uid}, who could change the secrets in it: name a folder of your own`,
    )
  }
}

/** The owner of a file that was there stays its owner. */
function writeWhole(path: string, text: string, mode: number): void {
  const before = lstatSync(path, { throwIfNoEntry: false })
  const owner = before?.isFile() ? before : null
  // By its descriptor alone: in a folder of another user, the name may lead elsewhere by now.
  const write = (draft: number) => {
    writeFileSync(draft, text)
    const caller = process.geteuid?.()
    if (owner && caller === 0 && owner.uid !== caller) fchownSync(draft, owner.uid, owner.gid)
    fchmodSync(draft, mode)
    fsyncSync(draft)
  }
  replaceFile(path, (draft) => withFile(draft, 'wx', write))
}

/** Takes the rights of all others on a file or a folder away, unless it is a link. */
function closeToOthers(path: string, mode: number): void {
  withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW, (opened) => {
    if ((fstatSync(opened).mode & OTHERS) !== 0) fchmodSync(opened, mode)
  })
}

/** The settings file of the caller as an absolute path, for the commands that are advised. */
export function absolutePath(path: string): string {
  return join(resolve(dirname(path)), basename(path))
}

/** The settings as they would be, for trying them out: every secret by itself, and from no file. */
export function candidateEnvironment(
  current: CurrentSettings,
  wanted: ReadonlyMap<string, string>,
): Record<string, string> {
  const env = new Map(current.values)
  env.delete('CREDENTIALS_DIRECTORY')
  for (const name of SECRETS) env.delete(`${name}_FILE`)
  for (const [name, { value }] of current.files) if (value !== '') env.set(name, value)
  for (const [name, value] of wanted) env.set(name, value)
  for (const name of WRITTEN_SECRETS) if (env.get(name) === '') env.delete(name)
  const mail = mailProviderOf(wanted)
  if (mail !== null && env.get('EMAIL_PROVIDER') !== mail) env.delete('EMAIL_PROVIDER')
  return Object.fromEntries(env)
}
