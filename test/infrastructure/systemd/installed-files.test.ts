import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../../../infrastructure/config/config.ts'
import { parseEnvFile, withEnvFile } from '../../../infrastructure/config/env-file.ts'
import {
  installedFiles,
  PLACES,
  unitText,
} from '../../../infrastructure/systemd/installed-files.ts'
import { namesRead, PRODUCTION, problemsOf, readFrom } from '../../support/config-loading.ts'

const NEW = { completion: '# completion', isNew: true, nameServers: [] }
const files = installedFiles(NEW)
const UNIT_TEXT = unitText([])
const textOf = (path: string) => files.find((file) => file.path === path)!.text
const settings = textOf(PLACES.settings)
const credentials = files
  .filter(({ path }) => path.startsWith(`${PLACES.credentials}/`))
  .map(({ path }) => path.slice(PLACES.credentials.length + 1))

/** Not for an operator of this service: systemd's own. */
const NOT_OFFERED = ['STATE_DIRECTORY']

describe('the settings file', () => {
  const named = [...settings.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name!)

  test('offers every setting there is once, but for the secrets, which have files of their own', () => {
    const read = namesRead()
    const secrets = [...read]
      .filter((name) => name.endsWith('_FILE'))
      .map((name) => name.slice(0, -'_FILE'.length))
    // A secret only where it is that of a PostgreSQL.
    const isSecret = (name: string) => secrets.includes(name) && name !== 'DATABASE_URL'
    const expected = [...read].filter(
      (name) => !name.endsWith('_FILE') && !isSecret(name) && !NOT_OFFERED.includes(name),
    )
    expect(named.toSorted()).toEqual(expected.toSorted())
    expect(credentials.toSorted()).toEqual(
      secrets.filter((name) => !NOT_OFFERED.includes(name)).toSorted(),
    )
  })

  test('shows the default of every setting that it does not set', () => {
    const shown = settings.replace(/^#([A-Z_]+=)/gm, '$1')
    const required = { ...PRODUCTION, CREDENTIALS_DIRECTORY: '' }
    // A function is equal to itself alone: of the trusted proxies the addresses are compared.
    const read = (text: string) => ({
      ...loadConfig({
        env: { ...parseEnvFile(text), ...required },
        readFile: readFrom({}),
      }),
      isTrustedProxy: null,
    })
    expect(read(shown)).toEqual(read(settings))
    expect(shown).not.toBe(settings)
  })

  test('as it is written lacks only what nobody else can know, and says so', () => {
    const env = withEnvFile({}, settings)
    const secret = {
      [`${PLACES.credentials}/JWT_SECRET`]: textOf(`${PLACES.credentials}/JWT_SECRET`),
    }
    const problems = problemsOf(() => loadConfig({ env, readFile: readFrom(secret) }))
    const names = problems.map((problem) => problem.replace(/ is required: .*$/, ''))
    expect(names.toSorted()).toEqual([
      'EMAIL_FROM',
      'PUBLIC_URL',
      'RESEND_API_KEY',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ])
  })
})

describe('the unit', () => {
  test('hands the service every secret, and the settings, from where they are installed', () => {
    const loaded = [...UNIT_TEXT.matchAll(/^LoadCredential=(.*):(.*)$/gm)].map(
      ([, name, path]) => [name!, path!] as const,
    )
    expect(new Map(loaded)).toEqual(
      new Map([
        ['alibi.env', PLACES.settings],
        ...credentials.map((name) => [name, `${PLACES.credentials}/${name}`] as const),
      ]),
    )
  })

  test('starts the executable where it is installed, which may run itself', () => {
    expect(UNIT_TEXT).toContain(
      `ExecStart=${PLACES.executable} serve --env-file \${CREDENTIALS_DIRECTORY}/`,
    )
    expect(UNIT_TEXT).toMatch(new RegExp(`^ExecPaths=${PLACES.executable} `, 'm'))
  })
})

describe('the network of the unit', () => {
  const allowed = (text: string) => text.match(/^IPAddress\w+=.*$/gm)

  test('has no link-local address and no multicast', () => {
    expect(allowed(UNIT_TEXT)).toEqual(['IPAddressDeny=link-local multicast'])
  })

  test('has the link-local name servers of the system, and nothing else is another', () => {
    const text = unitText(['169.254.169.253', 'fe80::1'])
    expect(allowed(text)).toEqual([
      'IPAddressDeny=link-local multicast',
      'IPAddressAllow=169.254.169.253 fe80::1',
    ])
    expect(text.replace(/^# A name server .*\n^IPAddressAllow=.*\n/m, '')).toBe(UNIT_TEXT)
  })
})

test('the unit bounds memory and tasks', () => {
  expect(UNIT_TEXT).toMatch(/^MemoryMax=512M\nTasksMax=512$/m)
})

describe('the secrets', () => {
  test('are readable by their owner only, as the settings are', () => {
    const open = files.filter(({ path, mode }) => path.startsWith('/etc/alibi/') && mode !== 0o600)
    expect(open).toEqual([])
  })

  test('of a new service have a JWT_SECRET of 32 random bytes, and no other value', () => {
    const secrets = (isNew: boolean) =>
      installedFiles({ ...NEW, isNew })
        .filter(({ path, text }) => path.startsWith(PLACES.credentials) && text !== '')
        .map(({ text }) => text.trim())
    const [one, other] = [secrets(true), secrets(true)]
    expect([one.length, other.length]).toEqual([1, 1])
    expect(Buffer.from(one[0]!, 'base64')).toHaveLength(32)
    expect(one).not.toEqual(other)
  })

  test('of a service that is not new are never made up', () => {
    const made = installedFiles({ ...NEW, isNew: false })
    const lengths = made.filter(({ path }) => path.startsWith(PLACES.credentials))
    expect(lengths.map(({ text }) => text)).toEqual(['', '', '', '', '', '', ''])
  })
})
