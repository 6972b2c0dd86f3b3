import { describe, expect, test } from 'bun:test'
import { type CurrentSettings, planSettings } from '../../../application/setup/plan-settings.ts'
import { proposeDatabase } from '../../../application/setup/propose-database.ts'
import { mailProviderOf, missingFlags } from '../../../application/setup/questions.ts'
import { parseEnvFile } from '../../../infrastructure/config/env-file.ts'

const there = (
  text: string,
  { folder = null, files = {} }: { folder?: string | null; files?: Record<string, string> } = {},
): CurrentSettings => ({
  text,
  values: new Map(Object.entries(parseEnvFile(text))),
  files: new Map(
    Object.entries(files).map(([path, value]) => [path.split('/').at(-1) ?? '', { path, value }]),
  ),
  folder,
})
const planned = (
  current: CurrentSettings,
  wanted: Record<string, string>,
  mail: 'resend' | 'smtp' = 'resend',
) => planSettings(current, { wanted: new Map(Object.entries(wanted)), mail })

describe('planSettings', () => {
  test('puts secrets into the settings file where there is no folder for them', () => {
    const plan = planned(there('A=1\n'), { STRIPE_SECRET_KEY: 'sk', PUBLIC_URL: 'u' })
    expect(plan.text).toBe('A=1\nSTRIPE_SECRET_KEY=sk\nPUBLIC_URL=u\n')
    expect(plan).toMatchObject({ secrets: [], holdsSecrets: true })
  })

  test('puts each into the folder, from which it takes the place of the one in the settings file', () => {
    const plan = planned(there('STRIPE_SECRET_KEY=sk\n', { folder: '/c' }), {
      STRIPE_SECRET_KEY: 'sk',
    })
    expect(plan.secrets).toEqual([
      { name: 'STRIPE_SECRET_KEY', path: '/c/STRIPE_SECRET_KEY', value: 'sk' },
    ])
    expect(plan.text).toBe('CREDENTIALS_DIRECTORY=/c\n')
    expect(plan).toMatchObject({ holdsSecrets: false, changed: [] })
  })

  test('writes a secret into the file that the settings name for it', () => {
    const current = there('STRIPE_SECRET_KEY_FILE=/own/key\n')
    const plan = planned(current, { STRIPE_SECRET_KEY: 'sk' })
    expect(plan.secrets).toMatchObject([{ path: '/own/key', value: 'sk' }])
    expect(plan.text).toBe(current.text ?? '')
  })

  test('changes nothing where all is as wanted, with settings that are there and empty', () => {
    const text = 'RESEND_API_KEY=\nSMTP_URL=\nCREDENTIALS_DIRECTORY=/c\nPUBLIC_URL=u\n'
    const files = { '/c/RESEND_API_KEY': 're', '/c/SMTP_URL': '' }
    const plan = planned(there(text, { folder: '/c', files }), {
      RESEND_API_KEY: 're',
      PUBLIC_URL: 'u',
    })
    expect(plan).toMatchObject({ secrets: [], text, changed: [] })
  })

  test('empties the secret of the mail provider that is not used any more, and never its file', () => {
    const files = { '/c/RESEND_API_KEY': 're' }
    const text = 'CREDENTIALS_DIRECTORY=/c\nEMAIL_PROVIDER=resend\n'
    const plan = planned(there(text, { folder: '/c', files }), { SMTP_URL: 'smtp://m' }, 'smtp')
    expect(plan.secrets).toEqual([
      { name: 'RESEND_API_KEY', path: '/c/RESEND_API_KEY', value: '' },
      { name: 'SMTP_URL', path: '/c/SMTP_URL', value: 'smtp://m' },
    ])
    expect(plan.text).toBe('CREDENTIALS_DIRECTORY=/c\n')
    const inFile = planned(there('RESEND_API_KEY=re\n'), { SMTP_URL: 'smtp://m' }, 'smtp')
    expect(inFile.text).toBe('SMTP_URL=smtp://m\n')
  })
})

describe('proposeDatabase', () => {
  const proposed = (databaseUrl: string | null, isLive: boolean, wasLive: boolean | null) =>
    proposeDatabase({ databaseUrl, isLive, wasLive })

  test('proposes another one where the key is the first of its mode', () => {
    expect(proposed(null, false, null)).toBe('sqlite:./data/alibi-test.db')
    expect(proposed('sqlite:/var/lib/alibi/alibi.db', false, true)).toBe(
      'sqlite:/var/lib/alibi/alibi-test.db',
    )
    expect(proposed('sqlite:/var/lib/alibi/alibi-test.db', true, false)).toBe(
      'sqlite:/var/lib/alibi/alibi.db',
    )
  })

  test('leaves a database alone that fits, a PostgreSQL, and any while the mode stays', () => {
    expect(proposed(null, true, null)).toBeNull()
    expect(proposed('sqlite:/a-test.db', false, null)).toBeNull()
    expect(proposed('postgres://u:p@h/d', false, null)).toBeNull()
    expect(proposed('sqlite:/a.db', false, false)).toBeNull()
    expect(proposed('sqlite:/a-test.db', true, true)).toBeNull()
  })
})

describe('questions', () => {
  test('the mail provider is the one whose secret is there', () => {
    expect(mailProviderOf(new Map([['RESEND_API_KEY', 're']]))).toBe('resend')
    expect(mailProviderOf(new Map([['SMTP_URL', 'smtp:']]))).toBe('smtp')
    expect(mailProviderOf(new Map())).toBeNull()
  })

  test('only what has neither an answer nor a default is missing', () => {
    const none = new Map<string, string>()
    expect(missingFlags(none, none)).toEqual([
      '--public-url',
      '--stripe-key-file',
      '--resend-key-file or --smtp-url-file',
      '--email-from',
    ])
    const current = new Map([
      ['PUBLIC_URL', 'u'],
      ['STRIPE_SECRET_KEY', 'sk'],
      ['SMTP_URL', 'smtp:'],
    ])
    expect(missingFlags(new Map([['EMAIL_FROM', 'a@b.example']]), current)).toEqual([])
  })
})
