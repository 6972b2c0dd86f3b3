import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction, type Production } from '../support/executable/production.ts'
import { stored } from '../support/executable/stored.ts'
import { runAtTerminal } from '../support/executable/terminal.ts'

const EMAIL = 'anna@example.com'

async function openWithGrant(): Promise<Production> {
  const production = await openProduction()
  await production.run(['migrate'])
  await production.run(['grant', EMAIL])
  return production
}

const knows = (production: Production) =>
  stored(production, 'SELECT email FROM operator_grants').some(({ email }) => email === EMAIL)

describe('erase, at a terminal', () => {
  test.each(['n\r', '\r', 'maybe\r', '\u0003', '\u0004'])(
    'asks first, and does nothing after %j',
    async (typed) => {
      await using production = await openWithGrant()
      const { exitCode, shown } = await runAtTerminal(production, ['erase', EMAIL], typed)
      expect(shown).toContain(EMAIL)
      expect(shown.match(/\[y\/N\]/g)).toHaveLength(1)
      expect(exitCode).toBe(1)
      expect(knows(production)).toBe(true)
    },
  )

  test.each(['y\r', 'YES\r'])('goes on after %j', async (typed) => {
    await using production = await openWithGrant()
    expect((await runAtTerminal(production, ['erase', EMAIL], typed)).exitCode).toBe(0)
    expect(knows(production)).toBe(false)
  })

  test('does not ask with --yes', async () => {
    await using production = await openWithGrant()
    const { exitCode, shown } = await runAtTerminal(production, ['erase', EMAIL, '--yes'], '')
    expect(exitCode).toBe(0)
    expect(shown).not.toContain('[y/N]')
    expect(knows(production)).toBe(false)
  })
})

describe('restore, at a terminal', () => {
  async function openWithBackup() {
    const production = await openWithGrant()
    const file = join(production.folder, 'backup.db')
    await production.run(['backup', file])
    await production.run(['revoke', EMAIL])
    return { production, file }
  }

  const hasPremium = async (production: Production) =>
    (await production.runJson(['status', EMAIL])).json['hasPremium']

  test('asks first, and puts the backup back once it is told to', async () => {
    const { production, file } = await openWithBackup()
    await using _ = production
    expect((await runAtTerminal(production, ['restore', file], 'n\r')).exitCode).toBe(1)
    expect(await hasPremium(production)).toBe(false)
    expect((await runAtTerminal(production, ['restore', file], 'y\r')).exitCode).toBe(0)
    expect(await hasPremium(production)).toBe(true)
  })

  test('says how far it is', async () => {
    const { production, file } = await openWithBackup()
    await using _ = production
    const copy = join(production.folder, 'second.db')
    const backup = await runAtTerminal(production, ['backup', copy], '')
    expect(backup.shown).toContain('\r\u001b[K')
    expect(existsSync(copy)).toBe(true)
    const restored = await runAtTerminal(production, ['restore', file], 'y\r')
    expect(restored.shown).toContain('\r\u001b[K')
  })
})

test('nobody is asked where there is no terminal', async () => {
  await using production = await openWithGrant()
  expect(await production.run(['erase', EMAIL])).toMatchObject({ exitCode: 0 })
  expect(knows(production)).toBe(false)
})
