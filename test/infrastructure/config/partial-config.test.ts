import { describe, expect, test } from 'bun:test'
import { loadPartialConfig } from '../../../infrastructure/config/partial-config.ts'

describe('settings that are not all right', () => {
  const RIGHT = {
    PUBLIC_URL: 'https://alibi.example',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    RESEND_API_KEY: 're_1',
    EMAIL_FROM: 'a@alibi.example',
    DATABASE_URL: 'sqlite:/x/alibi.db',
  }
  const load = (env: Record<string, string>) => {
    const parts = loadPartialConfig({ env, readFile: () => '' })
    return Object.entries(parts)
      .filter(([, part]) => part === null)
      .map(([name]) => name)
  }

  test.each<[Record<string, string>, string[]]>([
    [{}, []],
    [{ JWT_SECRET: 'short' }, []],
    [{ APP_ENV: 'test' }, []],
    [{ APP_ENV: 'test', PUBLIC_URL: 'http://alibi.example' }, ['network']],
    [{ DATABASE_URL: 'mysql://x' }, ['database']],
    [{ PORT: 'x' }, ['network']],
    [{ BACKUP_DIR: '/x', BACKUP_SCHEDULE: 'x' }, ['backup']],
    [{ PUBLIC_URL: '' }, ['network']],
    [{ STRIPE_WEBHOOK_SECRET: '' }, ['payment']],
    [{ EMAIL_FROM: 'x' }, ['email']],
    [{ RESEND_API_KEY: '', PREMIUM_PRICE: '0' }, ['payment', 'email']],
  ])('%j leave the other parts to be looked at', (wrong, missing) => {
    expect(load({ ...RIGHT, ...wrong })).toEqual(missing)
  })
})
