import { SECOND_MS } from '../../domain/duration.ts'
import { durationUpTo } from './durations.ts'
import { type PostgresUrl, parsePostgresUrl, type RefusedUrl } from './postgres-url.ts'
import { wholeNumber } from './setting-formats.ts'
import type { SettingFormat, SettingsSource, Variables } from './settings-source.ts'

export type SqliteConfig = { readonly kind: 'sqlite'; readonly path: string }

export type PostgresConfig = PostgresUrl & {
  readonly kind: 'postgres'
  /** How many connections a process opens at most. */
  readonly poolMax: number
  /** How long a connection is waited for, and how long a statement may take. */
  readonly timeoutMs: number
}

export type DatabaseConfig = SqliteConfig | PostgresConfig

const POOL_MAX = wholeNumber({ min: 1, max: 1000 })
/** No client of the service waits longer for an answer. */
const TIMEOUT = durationUpTo('1m')

const DATABASE_URL: SettingFormat<SqliteConfig | PostgresUrl | RefusedUrl> = {
  shape:
    'sqlite:PATH, such as sqlite:/var/lib/alibi/alibi.db, or postgres://USER:PASSWORD@HOST:PORT/NAME',
  parse(text) {
    const [, path] = /^sqlite:(?!\/\/|:memory:$)(\P{Cc}*[^/\p{Cc}])$/u.exec(text) ?? []
    return path === undefined ? parsePostgresUrl(text) : { kind: 'sqlite', path }
  },
}

export function readDatabase(settings: SettingsSource, env: Variables): DatabaseConfig {
  // systemd lists several state directories with colons between them.
  const [stateDirectory] = (env['STATE_DIRECTORY'] ?? '').split(':')
  const fallback: SqliteConfig = { kind: 'sqlite', path: `${stateDirectory || './data'}/alibi.db` }
  const url = settings.read<SqliteConfig | PostgresUrl | RefusedUrl>(
    'DATABASE_URL',
    DATABASE_URL,
    fallback,
  )
  return readConnection(settings, { name: 'DATABASE_URL', url, fallback })
}

/** The database of a URL that is no setting itself; problems call it `name`. */
export function readDatabaseAt(
  settings: SettingsSource,
  { name, url }: { name: string; url: string },
): DatabaseConfig {
  const fallback: SqliteConfig = { kind: 'sqlite', path: '' }
  const parsed = DATABASE_URL.parse(url)
  if (parsed) return readConnection(settings, { name, url: parsed, fallback })
  settings.report(`${name} must be ${DATABASE_URL.shape}`)
  return fallback
}

function readConnection(
  settings: SettingsSource,
  {
    name,
    url,
    fallback,
  }: { name: string; url: SqliteConfig | PostgresUrl | RefusedUrl; fallback: SqliteConfig },
): DatabaseConfig {
  const poolMax = settings.read('DATABASE_POOL_MAX', POOL_MAX, 10)
  const timeoutMs = settings.read('DATABASE_TIMEOUT', TIMEOUT, 5 * SECOND_MS)
  if (url.kind === 'postgres') return { ...url, poolMax, timeoutMs }
  if (url.kind === 'sqlite') return url
  settings.report(`${name} ${url.reason}`)
  return fallback
}
