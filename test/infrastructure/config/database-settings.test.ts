import { describe, expect, test } from 'bun:test'
import { ConfigError } from '../../../infrastructure/config/config.ts'
import { loadPartialConfig } from '../../../infrastructure/config/partial-config.ts'
import { sqlitePathOf } from '../../../infrastructure/config/sqlite-path.ts'
import { blamed, development, problemsOf, production } from '../../support/config-loading.ts'

const DATABASE_URL = 'postgres://u:canary7f3a@h/d'
const JWT_SECRET = 'a secret of more than thirty-two bytes'

describe('with a PostgreSQL', () => {
  test('the pool and the time have bounds', () => {
    const bounds = { DATABASE_POOL_MAX: '25', DATABASE_TIMEOUT: '2s' }
    expect(production({ DATABASE_URL, ...bounds }).database).toMatchObject({
      kind: 'postgres',
      poolMax: 25,
      timeoutMs: 2000,
    })
  })

  test('the URL may be a credential', () => {
    const files = { '/creds/DATABASE_URL': `${DATABASE_URL}\n` }
    expect(production({ CREDENTIALS_DIRECTORY: '/creds' }, files).database).toMatchObject({
      password: 'canary7f3a',
      database: 'd',
    })
  })

  test('the folder of the state means nothing', () => {
    expect(production({ DATABASE_URL, STATE_DIRECTORY: '/state' })).toEqual(
      production({ DATABASE_URL }),
    )
  })

  test('development needs a secret for tokens as well, and is told why', () => {
    const [problem, ...others] = problemsOf(() => development({ DATABASE_URL }))
    expect(others).toEqual([])
    expect(problem).toMatch(/^JWT_SECRET is required: at least 32 bytes, .+; with PostgreSQL also /)
    expect(development({ DATABASE_URL, JWT_SECRET }).jwtSecret).toBe(JWT_SECRET)
    expect(blamed(() => development({ DATABASE_URL, JWT_SECRET: 'short' }))).toEqual(['JWT_SECRET'])
  })

  test('backups are left to its own tools', () => {
    const backups = { BACKUP_DIR: '/b', BACKUP_SCHEDULE: '1d', BACKUP_KEEP: '3' }
    const problems = problemsOf(() => production({ DATABASE_URL, ...backups }))
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(Object.keys(backups))
    for (const problem of problems) expect(problem).toContain('pg_basebackup')

    const { backup } = loadPartialConfig({
      env: { DATABASE_URL, BACKUP_DIR: '/b' },
      readFile: () => '',
    })
    expect(backup).toBeNull()
  })

  test('there is no file of the database', () => {
    const { database } = production({ DATABASE_URL })
    expect(() => sqlitePathOf(database)).toThrow(ConfigError)
  })
})

test('with SQLite, the settings of the pool are checked, and mean nothing', () => {
  expect(production({ DATABASE_POOL_MAX: '5', DATABASE_TIMEOUT: '1s' })).toEqual(production())
  expect(blamed(() => production({ DATABASE_POOL_MAX: '0', DATABASE_TIMEOUT: '1h' }))).toEqual([
    'DATABASE_POOL_MAX',
    'DATABASE_TIMEOUT',
  ])
})
