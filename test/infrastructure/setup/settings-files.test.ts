import { beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { planSettings } from '../../../application/setup/plan-settings.ts'
import {
  candidateEnvironment,
  readSecretFile,
  readSettings,
  writeSettings,
} from '../../../infrastructure/setup/settings-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0
if (!isRoot) process.stdout.write('not tested here: settings files of other users (needs root)\n')

let folder: string
let envFile: string
beforeEach(() => {
  folder = temporaryFolder()
  envFile = join(folder, 'alibi.env')
})

const read = (credentials: string | null = null) =>
  readSettings({ envFile, credentials, template: null })

function write(wanted: Record<string, string>, credentials: string | null = null): void {
  const current = read(credentials)
  const plan = planSettings(current, { wanted: new Map(Object.entries(wanted)), mail: 'resend' })
  writeSettings(envFile, plan, current)
}

describe('settings files', () => {
  test('are written whole, for their owner alone, and leave no draft behind', () => {
    write({ STRIPE_SECRET_KEY: 'sk', PUBLIC_URL: 'u' })
    expect(readFileSync(envFile, 'utf8')).toBe('STRIPE_SECRET_KEY=sk\nPUBLIC_URL=u\n')
    expect(statSync(envFile).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['alibi.env'])
  })

  test('without a secret in them keep the mode that they had', () => {
    writeFileSync(envFile, 'A=1\n')
    chmodSync(envFile, 0o640)
    write({ PUBLIC_URL: 'u', STRIPE_SECRET_KEY: 'sk' }, join(folder, 'credentials'))
    expect(statSync(envFile).mode & 0o777).toBe(0o640)
    expect(statSync(join(folder, 'credentials', 'STRIPE_SECRET_KEY')).mode & 0o777).toBe(0o600)
  })

  test('behind a link are written where it leads, and the link stays', () => {
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'elsewhere', 'own.env'), 'A=1\n')
    symlinkSync(join(folder, 'elsewhere', 'own.env'), envFile)
    write({ PUBLIC_URL: 'u' })
    expect(readFileSync(join(folder, 'elsewhere', 'own.env'), 'utf8')).toBe('A=1\nPUBLIC_URL=u\n')
    expect(readdirSync(folder, { withFileTypes: true }).map((one) => one.isSymbolicLink())).toEqual(
      expect.arrayContaining([true]),
    )
  })

  test('are tried out with every secret by itself, so that none has two sources', () => {
    mkdirSync(join(folder, 'c'))
    writeFileSync(join(folder, 'c', 'STRIPE_SECRET_KEY'), '\u{feff}sk\r\n\r\n')
    writeFileSync(join(folder, 'c', 'SMTP_URL'), ' \n')
    writeFileSync(envFile, `CREDENTIALS_DIRECTORY=${folder}/c\nPORT=3001\n`)
    const env = candidateEnvironment(read(), new Map([['PUBLIC_URL', 'u']]))
    expect(env).toEqual({ PORT: '3001', STRIPE_SECRET_KEY: 'sk', PUBLIC_URL: 'u' })
  })

  if (isRoot) {
    test('of another user stay that user’s', () => {
      writeFileSync(envFile, 'A=1\n')
      chownSync(envFile, NOBODY, NOBODY)
      write({ PUBLIC_URL: 'u', JWT_SECRET: 'secret' })
      expect(statSync(envFile)).toMatchObject({ uid: NOBODY, gid: NOBODY })
      expect(statSync(envFile).mode & 0o777).toBe(0o600)
    })

    test('are not reached by a link of another user than their owner', () => {
      const target = join(folder, 'of-root')
      writeFileSync(target, 'A=1\n')
      const link = join(folder, 'link')
      symlinkSync(target, link)
      lchownSync(link, NOBODY, NOBODY)
      const place = { envFile: link, credentials: null, template: null }
      expect(() => readSettings(place)).toThrow('leads through the link')
      expect(() => readSecretFile(link)).toThrow('leads through the link')
    })

    test('are not made in a folder for secrets that belongs to another user', () => {
      const foreign = join(folder, 'foreign')
      mkdirSync(foreign)
      chownSync(foreign, NOBODY, NOBODY)
      expect(() => read(foreign)).toThrow('belongs to user 65534')
    })
  }
})
