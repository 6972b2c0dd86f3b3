import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { type BackupConfig, readBackup } from './backup-settings.ts'
import { type DatabaseConfig, readDatabase, readDatabaseAt } from './database-settings.ts'
import { durationUpTo, MAIL_LIMIT, RATE_LIMIT, type RateLimit } from './durations.ts'
import { type EmailConfig, readEmail, readSender } from './email-settings.ts'
import {
  type ListenAddress,
  type NetworkConfig,
  readListenAddress,
  readMetricsPort,
  readNetwork,
} from './network-settings.ts'
import {
  AMOUNT_MIN,
  type PaymentConfig,
  readPayment,
  refuseHighMinimum,
} from './payment-settings.ts'
import { FOLDER, oneOf, SWITCH, secretOfBytes } from './setting-formats.ts'
import {
  type AppEnvironment,
  type SettingFormat,
  type SettingsSource,
  settingsSource,
  type Variables,
} from './settings-source.ts'

/** All that the operator has decided, checked. Durations are in milliseconds. */
export type Config = NetworkConfig & {
  readonly environment: AppEnvironment
  readonly database: DatabaseConfig
  /** Null where the service makes no backups by itself. */
  readonly backup: BackupConfig | null
  /** Null in development where none is set: then one is made and kept beside the database, which is SQLite's. */
  readonly jwtSecret: string | null
  readonly jwtSecretPrevious: string | null
  readonly tokenLifetimeMs: number
  readonly otpLifetimeMs: number
  readonly verificationLifetimeMs: number
  readonly payment: PaymentConfig
  readonly refundDuplicates: boolean
  readonly allowPromotionCodes: boolean
  /** The least that a promotion code may leave to pay, in minor units. */
  readonly amountMin: number
  readonly email: EmailConfig
  readonly emailFrom: string
  /** How many code mails the whole service sends. Null where the limit is switched off. */
  readonly mailLimit: RateLimit | null
  /** Null where a limit is switched off. */
  readonly rateLimits: Readonly<Record<'general' | 'auth' | 'premium', RateLimit | null>>
  /** A folder with content in place of the built-in one. */
  readonly contentDir: string | null
  /** A port of loopback; 0 picks a free one. Null where nothing is measured. */
  readonly metricsPort: number | null
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat: 'json' | 'pretty'
}

/** Where settings come from. */
export type Environment = { env: Variables; readFile: (path: string) => string }

/** The settings are wrong in at least one way. No problem contains a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  /** One line each, naming the variable and what it must look like. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

const JWT_SECRET = secretOfBytes(32)

/** Beside a database on another machine there is no folder to keep one in that was made. */
const SHARED_JWT_SECRET: SettingFormat<string> = {
  ...JWT_SECRET,
  shape: `${JWT_SECRET.shape}; with PostgreSQL also in development, where every replica needs the same`,
}

/** Every setting. Throws `ConfigError` with every problem at once. */
export function loadConfig(environment: Environment): Config {
  return load(environment, readConfig)
}

/**
 * As `loadConfig`, and also returns what `open` makes of the settings. The problems that `open` reports are thrown,
 * too.
 */
export function loadConfigWith<Opened>(
  environment: Environment,
  open: (config: Config, report: (problem: string) => void) => Opened,
): { config: Config; opened: Opened } {
  return load(environment, (settings, env) => {
    const config = readConfig(settings, env)
    return { config, opened: open(config, settings.report) }
  })
}

/** Only where the database is. Throws `ConfigError`. */
export function loadDatabaseConfig(environment: Environment): DatabaseConfig {
  return load(environment, (settings) => readDatabase(settings, environment.env))
}

/** As `loadDatabaseConfig`, of a URL that an option of this name gives. Throws `ConfigError`. */
export function loadDatabaseAt(
  environment: Environment,
  option: { readonly name: string; readonly url: string },
): DatabaseConfig {
  return load(environment, (settings) => readDatabaseAt(settings, option))
}

/** Only the backups of this database that the service makes by itself. Throws `ConfigError`. */
export function loadBackupConfig(
  environment: Environment,
  database: Pick<DatabaseConfig, 'kind'>,
): BackupConfig | null {
  return load(environment, (settings) => readBackup(settings, database))
}

/** Only where the service listens. Throws `ConfigError`. */
export function loadListenAddress(environment: Environment): ListenAddress {
  return load(environment, readListenAddress)
}

function load<Loaded>(
  environment: Environment,
  read: (settings: SettingsSource, env: Variables) => Loaded,
): Loaded {
  const settings = settingsSource(environment)
  const loaded = read(settings, environment.env)
  if (settings.problems.length > 0) throw new ConfigError(settings.problems)
  return loaded
}

function readConfig(settings: SettingsSource, env: Variables): Config {
  const environment = readEnvironment(settings)
  const isProduction = environment === 'production'
  const network = readNetwork(settings, environment)
  const database = readDatabase(settings, env)

  const config: Config = {
    environment,
    ...network,
    metricsPort: readMetricsPort(settings, network),
    database,
    backup: readBackup(settings, database),
    jwtSecret: readJwtSecret(settings, { isProduction, database }),
    jwtSecretPrevious: settings.read<string | null>('JWT_SECRET_PREVIOUS', JWT_SECRET, null),
    tokenLifetimeMs: settings.read('TOKEN_TTL', durationUpTo('3650d'), 30 * DAY_MS),
    otpLifetimeMs: settings.read('OTP_TTL', durationUpTo('1d'), 10 * MINUTE_MS),
    verificationLifetimeMs: settings.read('VERIFICATION_TTL', durationUpTo('30d'), 30 * MINUTE_MS),
    payment: readPayment(settings, environment),
    refundDuplicates: settings.read('REFUND_DUPLICATES', SWITCH, true),
    allowPromotionCodes: settings.read('ALLOW_PROMOTION_CODES', SWITCH, false),
    amountMin: settings.read('PREMIUM_MIN_AMOUNT', AMOUNT_MIN, 0),
    email: readEmail(settings, environment),
    emailFrom: readSender(settings, environment),
    mailLimit: settings.read('MAIL_LIMIT', MAIL_LIMIT, { limit: 300, windowMs: HOUR_MS }),
    rateLimits: {
      general: settings.read('RATE_LIMIT_GENERAL', RATE_LIMIT, rate(10, 15)),
      auth: settings.read('RATE_LIMIT_AUTH', RATE_LIMIT, rate(5, 15)),
      premium: settings.read('RATE_LIMIT_PREMIUM', RATE_LIMIT, rate(30, 1)),
    },
    contentDir: settings.read<string | null>('CONTENT_DIR', FOLDER, null),
    logLevel: settings.read('LOG_LEVEL', oneOf(['debug', 'info', 'warn', 'error']), 'info'),
    logFormat: settings.read(
      'LOG_FORMAT',
      oneOf(['json', 'pretty']),
      isProduction ? 'json' : 'pretty',
    ),
  }
  refuseHighMinimum(settings, config)
  return config
}

export function readEnvironment(settings: SettingsSource): AppEnvironment {
  return settings.read('APP_ENV', oneOf(['production', 'development']), 'production')
}

function readJwtSecret(
  settings: SettingsSource,
  { isProduction, database }: { isProduction: boolean; database: DatabaseConfig },
): string | null {
  if (isProduction) return settings.require<string | null>('JWT_SECRET', JWT_SECRET, null)
  return database.kind === 'sqlite'
    ? settings.read<string | null>('JWT_SECRET', JWT_SECRET, null)
    : settings.require<string | null>('JWT_SECRET', SHARED_JWT_SECRET, null)
}

function rate(limit: number, minutes: number): RateLimit {
  return { limit, windowMs: minutes * MINUTE_MS }
}
