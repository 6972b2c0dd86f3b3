import { type Config, ConfigError, loadConfig } from '../../infrastructure/config/config.ts'

export type Variables = Record<string, string | undefined>
type Files = Record<string, string>

/** All that production needs, and nothing else. */
export const PRODUCTION: Variables = {
  PUBLIC_URL: 'https://alibi.example.com',
  JWT_SECRET: 'a secret of more than thirty-two bytes',
  STRIPE_SECRET_KEY: 'sk_live_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  RESEND_API_KEY: 're_0123456789',
  EMAIL_FROM: 'Alibi <no-reply@example.com>',
}

/** A disk that holds these files and no other. */
export function readFrom(files: Files) {
  return (path: string) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return text
  }
}

export function load(env: Variables, files: Files = {}): Config {
  return loadConfig({ env, readFile: readFrom(files) })
}

export function production(env: Variables = {}, files: Files = {}): Config {
  return load({ ...PRODUCTION, ...env }, files)
}

export function development(env: Variables = {}): Config {
  return load({ APP_ENV: 'development', ...env })
}

export function problemsOf(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

/** The variables that are complained about, in order. */
export function blamed(act: () => unknown): string[] {
  return problemsOf(act).map((problem) => problem.split(' ', 1)[0] ?? '')
}

/** The name of every variable that the settings are read from. */
export function namesRead(): Set<string> {
  const names = new Set<string>()
  for (const more of [{}, { STRIPE_PRICE_ID: 'price_1' }, { BACKUP_DIR: '/var/backups' }]) {
    const env = new Proxy({ ...PRODUCTION, ...more } as Record<string, string>, {
      get(target, name) {
        names.add(String(name))
        return target[String(name)]
      },
    })
    loadConfig({ env, readFile: readFrom({}) })
  }
  return names
}
