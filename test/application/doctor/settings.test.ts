import { expect, test } from 'bun:test'
import { checkSettings, type SettingsFacts } from '../../../application/doctor/settings.ts'

const SETTINGS: NonNullable<SettingsFacts['settings']> = {
  isProduction: true,
  publicUrl: 'https://alibi.example',
  host: '127.0.0.1',
  port: 3000,
  trustsProxies: true,
  limitsOff: [],
  mailsADay: 7200,
  isKeyLive: true,
  hasPreviousSecret: false,
  takesAnyPromotionCode: false,
  hasOwnContent: false,
}
const RIGHT: SettingsFacts = {
  problems: [],
  contentWarnings: [],
  settings: SETTINGS,
  runtimeVariables: [],
  isFileNamed: true,
  exposedFiles: [],
}

test('settings that are right are two lines, and nothing to do', () => {
  expect(checkSettings(RIGHT)).toEqual([
    {
      name: 'settings',
      level: 'ok',
      text: 'all there, for production, for https://alibi.example',
      advice: null,
    },
    { name: 'content', level: 'ok', text: 'the built-in one', advice: null },
  ])
})

test.each<[string, Partial<NonNullable<SettingsFacts['settings']>>, string]>([
  ['development', { isProduction: false, isKeyLive: false }, 'APP_ENV'],
  ['a port that everybody reaches', { host: '0.0.0.0' }, 'HOST'],
  ['a port that everybody reaches over IPv6', { host: '::' }, 'HOST'],
  ['a port of one address', { host: '203.0.113.4' }, 'HOST'],
  ['a proxy that is not trusted', { trustsProxies: false }, 'TRUSTED_PROXIES'],
  ['limits that are off', { limitsOff: ['RATE_LIMIT_AUTH'] }, 'RATE_LIMIT_AUTH'],
  ['few mails', { mailsADay: 90 }, 'MAIL_LIMIT lets 90 mails'],
  ['a plan that is just too small', { mailsADay: 499.9 }, 'MAIL_LIMIT lets 499 mails'],
  ['a test key for sales', { isKeyLive: false }, 'test key'],
  ['promotion codes of any kind', { takesAnyPromotionCode: true }, 'ALLOW_PROMOTION_CODES'],
  ['an old secret that counts', { hasPreviousSecret: true }, 'JWT_SECRET_PREVIOUS'],
])('warns of %s', (_, own, named) => {
  const settings = { ...SETTINGS, ...own }
  const warnings = checkSettings({ ...RIGHT, settings }).filter(({ level }) => level !== 'ok')
  expect(warnings).toEqual([
    {
      name: 'settings',
      level: 'warning',
      text: expect.stringContaining(named),
      advice: expect.stringMatching(/./),
    },
  ])
})

test.each<Partial<NonNullable<SettingsFacts['settings']>>>([
  { publicUrl: 'http://localhost:3000', host: '0.0.0.0', trustsProxies: false },
  { publicUrl: null, host: '0.0.0.0', trustsProxies: false },
  { host: '::1' },
  { host: 'localhost' },
  { host: '127.9.8.7' },
  { isKeyLive: null },
  { mailsADay: 500 },
  { mailsADay: null },
])('has nothing against %j', (own) => {
  const findings = checkSettings({ ...RIGHT, settings: { ...SETTINGS, ...own } })
  expect(findings.map(({ level }) => level)).toEqual(['ok', 'ok'])
})

test('limits that are off are nothing in development', () => {
  const settings = { ...SETTINGS, isProduction: false, isKeyLive: null, limitsOff: ['X'] }
  const warnings = checkSettings({ ...RIGHT, settings }).filter(({ level }) => level !== 'ok')
  expect(warnings).toHaveLength(1)
})

test('every problem is a failure of its own, and says once what to do', () => {
  const findings = checkSettings({ ...RIGHT, settings: null, problems: ['A is required', 'B bad'] })
  expect(findings).toEqual([
    { name: 'settings', level: 'failed', text: 'A is required', advice: null },
    { name: 'settings', level: 'failed', text: 'B bad', advice: expect.stringMatching(/./) },
  ])
})

test('wrong settings name the file of an installed service where the command line named none', () => {
  const wrong = { settings: null, problems: ['A is required'] }
  const adviceOf = (isFileNamed: boolean) =>
    checkSettings({ ...RIGHT, ...wrong, isFileNamed })[0]?.advice
  expect(adviceOf(false)).toContain('--env-file /etc/alibi/alibi.env')
  expect(adviceOf(true)).not.toContain('--env-file')
})

test('what the runtime obeys is a warning, whatever the settings are', () => {
  const own = { runtimeVariables: ['BUN_OPTIONS'], settings: null, problems: ['A'] }
  expect(checkSettings({ ...RIGHT, ...own })).toContainEqual({
    name: 'environment',
    level: 'warning',
    text: expect.stringContaining('BUN_OPTIONS'),
    advice: expect.stringContaining('unset BUN_OPTIONS'),
  })
})

test.each([
  [false, '/etc/x', 'may read /etc/x', 'chmod o-rwx /etc/x'],
  [true, '/etc/x', 'may read or change /etc/x', 'chmod go-w,o-rwx /etc/x'],
  [false, '/etc/my x', 'may read /etc/my x', "chmod o-rwx '/etc/my x'"],
])(
  'a file that others get at (to write: %p, %s) is a warning with the command',
  (isWritable, path, text, advice) => {
    const exposedFiles = [{ source: '--env-file', path, isWritable }]
    expect(checkSettings({ ...RIGHT, exposedFiles })).toContainEqual({
      name: 'files',
      level: 'warning',
      text: expect.stringContaining(text),
      advice,
    })
  },
)

test('all that looks wrong in the content is told, however much it is', () => {
  const contentWarnings = Array.from({ length: 45 }, (_, index) => `en.json:${index}`)
  const settings = { ...SETTINGS, hasOwnContent: true }
  const content = checkSettings({ ...RIGHT, settings, contentWarnings }).filter(
    ({ name }) => name === 'content',
  )
  expect(content.map(({ text }) => text)).toEqual(contentWarnings)
  expect(new Set(content.map(({ level }) => level))).toEqual(new Set(['warning'] as const))
  expect(checkSettings({ ...RIGHT, settings })).toContainEqual(
    expect.objectContaining({
      name: 'content',
      level: 'ok',
      text: expect.stringContaining('CONTENT_DIR'),
    }),
  )
})
