import {
  type Config,
  ConfigError,
  loadBackupConfig,
  loadDatabaseConfig,
  readEnvironment,
} from './config.ts'
import type { DatabaseConfig } from './database-settings.ts'
import { readEmail, readSender } from './email-settings.ts'
import { type NetworkConfig, readNetwork } from './network-settings.ts'
import { readPayment } from './payment-settings.ts'
import { type SettingsSource, settingsSource } from './settings-source.ts'

/** The settings by subject. A part is null where one of its own settings is wrong. */
export type PartialConfig = {
  readonly database: DatabaseConfig | null
  /** Within it null where the service makes no backups by itself. */
  readonly backup: { readonly backup: Config['backup'] } | null
  readonly network: NetworkConfig | null
  readonly payment: Config['payment'] | null
  readonly email: Pick<Config, 'email' | 'emailFrom'> | null
}

type Environment = Parameters<typeof loadDatabaseConfig>[0]

/** The parts of the settings that are right, where not all of them are. */
export function loadPartialConfig(environment: Environment): PartialConfig {
  function part<Value>(read: (settings: SettingsSource) => Value): Value | null {
    const settings = settingsSource(environment)
    const value = read(settings)
    return settings.problems.length === 0 ? value : null
  }

  const appEnvironment = part(readEnvironment) ?? 'production'
  const database = whole(() => loadDatabaseConfig(environment))
  return {
    database,
    backup: whole(() => ({
      backup: loadBackupConfig(environment, database ?? { kind: 'sqlite' }),
    })),
    network: part((settings) => readNetwork(settings, appEnvironment)),
    payment: part((settings) => readPayment(settings, appEnvironment)),
    email: part((settings) => ({
      email: readEmail(settings, appEnvironment),
      emailFrom: readSender(settings, appEnvironment),
    })),
  }
}

function whole<Value>(load: () => Value): Value | null {
  try {
    return load()
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
