import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSettings } from '../../../infrastructure/doctor/settings.ts'
import { composeContent } from '../../../interfaces/composition/compose-content.ts'
import { PRODUCTION, readFrom, type Variables } from '../../support/config-loading.ts'
import { linesOf } from '../../support/findings.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const BEHIND_PROXY = { ...PRODUCTION, TRUSTED_PROXIES: '127.0.0.1' }

const findings = (env: Variables, envFile: string | null = null) =>
  checkSettings({ env, readFile: readFrom({}) }, { envFile, readContent: composeContent })
/** Without what is well. */
const troubles = (env: Variables) =>
  linesOf(findings({ ...BEHIND_PROXY, ...env })).filter((line) => !line.startsWith('ok '))

test('settings that are right are two lines, and nothing to do', () => {
  expect(linesOf(findings(BEHIND_PROXY))).toEqual([
    'ok settings: all there, for production, for https://alibi.example.com',
    'ok content: the built-in one',
  ])
})

const TEST_KEY = { STRIPE_SECRET_KEY: 'sk_test_0123456789' }
const LOCAL = { PUBLIC_URL: 'http://localhost:3000', TRUSTED_PROXIES: '' }

test.each<[string, Variables, string]>([
  ['development', { APP_ENV: 'development', ...TEST_KEY, ...LOCAL }, 'APP_ENV'],
  ['a port that everybody reaches', { HOST: '0.0.0.0' }, 'HOST'],
  ['a port that everybody reaches over IPv6', { HOST: '::' }, 'HOST'],
  ['a port of one address', { HOST: '203.0.113.4' }, 'HOST'],
  ['a proxy that is not trusted', { TRUSTED_PROXIES: '' }, 'TRUSTED_PROXIES'],
  ['limits that are off', { RATE_LIMIT_AUTH: 'off' }, 'RATE_LIMIT_AUTH'],
  ['few mails', { MAIL_LIMIT: '90/1d' }, 'MAIL_LIMIT lets 90 mails'],
  ['a plan that is just too small', { MAIL_LIMIT: '499/1d' }, 'MAIL_LIMIT lets 499 mails'],
  ['a test key for sales', TEST_KEY, 'test key'],
  ['promotion codes of any kind', { ALLOW_PROMOTION_CODES: 'on' }, 'ALLOW_PROMOTION_CODES'],
  ['an old secret that counts', { JWT_SECRET_PREVIOUS: 'x'.repeat(40) }, 'JWT_SECRET_PREVIOUS'],
])('%s is a warning', (_, env, named) => {
  expect(troubles(env)).toEqual([
    expect.stringMatching(new RegExp(`^warning settings: .*${named}`)),
  ])
})

test.each<Variables>([
  { ...LOCAL, HOST: '0.0.0.0' },
  { HOST: '::1' },
  { HOST: 'localhost' },
  { HOST: '127.9.8.7' },
  { MAIL_LIMIT: '500/1d' },
  { MAIL_LIMIT: 'off' },
  { ALLOW_PROMOTION_CODES: 'on', PREMIUM_MIN_AMOUNT: '1' },
])('nothing is said against %j', (env) => {
  expect(troubles(env)).toEqual([])
})

test('every problem is a failure of its own, and says once what to do, and where the settings are', () => {
  const wrong = { ...PRODUCTION, JWT_SECRET: 'short', PORT: 'x' }
  const failures = findings(wrong)
  expect(failures.map(({ name, level }) => [name, level])).toEqual([
    ['settings', 'failed'],
    ['settings', 'failed'],
  ])
  expect(failures.map(({ advice }) => advice)).toEqual([
    null,
    expect.stringContaining('--env-file /etc/alibi/alibi.env'),
  ])
  expect(findings(wrong, '/etc/x').at(-1)?.advice).not.toContain('--env-file')
})

test('what the runtime obeys is a warning, whatever the settings are', () => {
  expect(findings({ BUN_OPTIONS: '--smol' })).toContainEqual({
    name: 'environment',
    level: 'warning',
    text: expect.stringContaining('BUN_OPTIONS'),
    advice: expect.stringContaining('unset BUN_OPTIONS'),
  })
})

test('the files with secrets that others get at are found, wherever they are named', () => {
  const folder = temporaryFolder()
  const make = (name: string, mode: number) => {
    const path = join(folder, name)
    writeFileSync(path, 'x')
    chmodSync(path, mode)
    return path
  }
  const envFile = make('my alibi.env', 0o644)
  const key = make('key', 0o620)
  make('JWT_SECRET', 0o604)
  make('RESEND_API_KEY', 0o440)
  const env = {
    STRIPE_SECRET_KEY_FILE: key,
    STRIPE_WEBHOOK_SECRET_FILE: join(folder, 'nowhere'),
    RESEND_API_KEY_FILE: '/dev/null',
    CREDENTIALS_DIRECTORY: folder,
  }
  const files = findings(env, envFile).filter(({ name }) => name === 'files')
  expect(files.map(({ text, advice }) => [text, advice])).toEqual([
    [`--env-file: others on this machine may read ${envFile}`, `chmod o-rwx '${envFile}'`],
    [
      `JWT_SECRET: others on this machine may read ${folder}/JWT_SECRET`,
      `chmod o-rwx ${folder}/JWT_SECRET`,
    ],
    [
      `STRIPE_SECRET_KEY_FILE: others on this machine may read or change ${key}`,
      `chmod go-w,o-rwx ${key}`,
    ],
  ])
})
