import { type Answers, MAIL_SECRETS, type MailProvider, QUESTIONS } from './questions.ts'
import { changeSettings } from './settings-text.ts'

/** The secrets that setup writes. */
export const WRITTEN_SECRETS: readonly string[] = [
  'JWT_SECRET',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_SECRET_KEY',
  'RESEND_API_KEY',
  'SMTP_URL',
]

/** What is there before setup writes anything. */
export type CurrentSettings = {
  /** Null where there is no settings file. */
  readonly text: string | null
  /** What the settings file sets, by name. */
  readonly values: ReadonlyMap<string, string>
  /** The secrets in files of their own that are there, by name; empty ones too. */
  readonly files: ReadonlyMap<string, SecretFile>
  /** The folder with a file for each secret, absolute; null where secrets stand in the settings file. */
  readonly folder: string | null
}

export type SecretFile = { readonly path: string; readonly value: string }

/** Files to write, in this order: the settings file is the last one. */
export type SettingsPlan = {
  readonly secrets: readonly {
    readonly name: string
    readonly path: string
    readonly value: string
  }[]
  /** The settings file as it is to be. */
  readonly text: string
  readonly holdsSecrets: boolean
  /** The settings that change, in the order in which they are written. */
  readonly changed: readonly string[]
}

/** A setting or a secret as it is, wherever it stands; undefined where it is not set. */
export function currentValue(current: CurrentSettings, name: string): string | undefined {
  return current.files.get(name)?.value || current.values.get(name) || undefined
}

/** The answers that are there already. */
export function currentAnswers(current: CurrentSettings): Answers {
  return new Map(
    QUESTIONS.flatMap(({ setting }) => {
      const value = currentValue(current, setting)
      return value === undefined ? [] : [[setting, value] as const]
    }),
  )
}

/**
 * What has to be written so that these settings, and no others, are as wanted. A secret stays in the file that the
 * settings name for it (NAME_FILE), else it goes into the folder for secrets, else into the settings file. The secret
 * of the mail provider that is not used is taken away, since two would leave it open which one counts.
 */
export function planSettings(
  current: CurrentSettings,
  { wanted, mail }: { wanted: ReadonlyMap<string, string>; mail: MailProvider },
): SettingsPlan {
  const changes = new Map<string, string | null>()
  const secrets: SettingsPlan['secrets'][number][] = []
  const changed: string[] = []
  const change = (name: string, value: string | null) => {
    // An empty setting counts as not set, and its line stays.
    if ((current.values.get(name) || null) === value) return
    changes.set(name, value)
  }
  const unused = Object.entries(MAIL_SECRETS)
    .filter(([provider]) => provider !== mail)
    .map(([, { setting }]) => [setting, ''] as const)
  const all = new Map([...wanted, ...unused])
  for (const name of WRITTEN_SECRETS) {
    const value = all.get(name)
    if (value === undefined) continue
    const path = pathOf(current, name)
    if ((currentValue(current, name) ?? '') !== value) changed.push(name)
    if (path === null) change(name, value === '' ? null : value)
    else {
      const isThere = current.files.get(name)?.path === path
      const isRight = (isThere ? current.files.get(name)?.value : '') === value
      if (!isRight) secrets.push({ name, path, value })
      // It stands in one place alone.
      change(name, null)
    }
  }
  for (const [name, value] of all) {
    if (WRITTEN_SECRETS.includes(name)) continue
    if (current.values.get(name) !== value) changed.push(name)
    change(name, value)
  }
  const chosen = current.values.get('EMAIL_PROVIDER')
  if (chosen && chosen !== mail) change('EMAIL_PROVIDER', null)
  if (current.folder !== null) change('CREDENTIALS_DIRECTORY', current.folder)

  const text = changeSettings(current.text ?? '', changes)
  const standing = new Map<string, string | null>([...current.values, ...changes])
  const holdsSecrets = WRITTEN_SECRETS.some((name) => standing.get(name))
  return { secrets, text, holdsSecrets, changed }
}

/** The file that a secret belongs into; null for the settings file. */
function pathOf({ values, folder }: CurrentSettings, name: string): string | null {
  const named = values.get(`${name}_FILE`)
  if (named) return named
  return folder === null ? null : `${folder}/${name}`
}
