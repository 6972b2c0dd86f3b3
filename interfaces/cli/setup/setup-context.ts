import type { Finding } from '../../../application/doctor/finding.ts'
import type { Check } from '../../../application/doctor/run-checks.ts'
import type { CurrentSettings, SettingsPlan } from '../../../application/setup/plan-settings.ts'
import type { WebhookEndpoints } from '../../../application/setup/webhook-endpoints.ts'

/** Where settings and secrets are kept, as the command line names it; null for those of the installed service. */
export type SetupPlace = { readonly envFile: string | null; readonly credentials: string | null }

/** Settings by name, in place of those that are there. */
export type Wanted = ReadonlyMap<string, string>

/** All that `setup` asks, and all that it changes. */
export type Setup = {
  /** Absolute. */
  readonly envFile: string
  readonly current: CurrentSettings
  /** What one of these settings must look like beside the others; null where it does. */
  readonly problemWith: (settings: Wanted, setting: string) => string | null
  /** What is wrong with the settings as they would be, one line each. */
  readonly problemsOf: (wanted: Wanted) => readonly string[]
  readonly isLiveKey: (key: string) => boolean
  /** A new one at every call. */
  readonly newJwtSecret: () => string
  /** The secret in a file that the operator names. Throws where it cannot be read. */
  readonly readSecretFile: (path: string) => string
  readonly check: (
    subject: 'stripe' | 'mail' | 'reach',
    wanted: Wanted,
  ) => Promise<readonly Finding[]>
  readonly webhook: (wanted: Wanted) => SetupWebhook
  readonly write: (plan: SettingsPlan) => void
  /** Null where the settings are not those of a service of this machine. */
  readonly service: SetupService | null
  /** The checks of the doctor on what is written. To be called last: they may take the rights of another user. */
  readonly openChecks: () => Promise<readonly Check[]>
}

export type SetupWebhook = {
  readonly endpoints: WebhookEndpoints
  readonly markOf: (secret: string) => string
  /** The usual one first. */
  readonly urls: readonly string[]
  readonly events: readonly string[]
  readonly apiVersion: string
}

export type SetupService = {
  readonly isInstalled: () => boolean
  readonly install: () => Promise<unknown>
  /** Null where no systemd runs. Rejects where the service does not start. */
  readonly start: ((settings: { isChanged: boolean }) => Promise<ServiceStart>) | null
}

/** `running`: it had been started with these settings, and was left alone. */
export type ServiceStart = 'started' | 'restarted' | 'running'

/** A person at a terminal. */
export type Terminal = {
  /** What is typed, without the blanks around it. A secret is not shown. Rejects with `Interrupted`. */
  readonly ask: (prompt: string, options: { readonly isSecret: boolean }) => Promise<string>
  /** Rejects with `Interrupted` at Ctrl-C, and at nothing else. */
  readonly interrupted: Promise<never>
  /** Gives the terminal back as it was. */
  readonly close: () => void
}

/** The person has pressed Ctrl-C, or the terminal is gone. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
