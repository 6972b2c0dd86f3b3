import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FROM_SOURCE } from '../support/service/alibi-process.ts'
import { openTerminal } from '../support/service/at-terminal.ts'
import { openSetupRun, SETUP_SECRETS, type SetupRun } from '../support/service/setup-run.ts'

const { stripe, resend } = SETUP_SECRETS
const CTRL_C = '\x03'

/** Runs `setup` at a terminal. */
const atTerminal = (run: SetupRun, ...parameters: readonly string[]) =>
  openTerminal([...FROM_SOURCE, 'setup', '--env-file', run.envFile, ...parameters], {
    cwd: run.folder,
  })

describe('setup at a terminal', () => {
  test('asks for what a sale needs, and shows neither a secret nor a colour', async () => {
    await using run = await openSetupRun()
    run.begin()
    const terminal = atTerminal(run)
    await terminal.answer('The address that users reach', 'http://nowhere.example\r')
    await terminal.answer('it must be https://', 'https://alibi.invalid\r')
    await terminal.answer('What is sold', 'My Shop\x7f\x7f\x7f\x7fExcuses\r')
    await terminal.answer('The currency', '\r')
    await terminal.answer('[€4.00]', '0.05\r')
    await terminal.answer('it must be', '9,50 €\r')
    await terminal.answer('key of Stripe', `${stripe}\r`)
    await terminal.answer('The database', '\r')
    await terminal.answer('How mails go', '\r')
    await terminal.answer('API key of Resend', `${resend}\r`)
    await terminal.answer('The sender of the mails', 'hello@alibi.example\r')
    await terminal.answer('Do that? [Y/n]', '\r')
    const { exitCode, echoes, controls } = await terminal.ended()
    expect({ exitCode, echoes }).toEqual({ exitCode: 0, echoes: true })
    expect(controls).toEqual([])
    for (const secret of [stripe, resend, run.setting('STRIPE_WEBHOOK_SECRET') ?? '']) {
      expect(secret).not.toBe('')
      expect(terminal.shown()).not.toContain(secret)
    }
    expect(terminal.shown()).toContain('Sold is "My Excuses" for €9.50.')
    expect(run.setting('PREMIUM_NAME')).toBe('My Excuses')
    expect(run.setting('PREMIUM_PRICE')).toBe('950')
    expect(run.setting('STRIPE_SECRET_KEY')).toBe(stripe)
    expect(run.endpoints()).toHaveLength(1)
  })

  test('takes Enter for every answer that is there, and then changes nothing', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const before = run.files()
    const terminal = atTerminal(run)
    for (const question of [
      'reach, such as https://alibi.example.com [https://alibi.invalid]',
      'What is sold, as buyers read it [Alibi Premium]',
      'three letters [eur]',
      '[€4.00]',
      'apikeys [Enter keeps the one that is there]',
      'smtp [resend]',
      'api-keys [Enter keeps the one that is there]',
      '[Alibi <hello@alibi.example>]',
    ]) {
      await terminal.answer(question, '\r')
    }
    expect(await terminal.ended()).toMatchObject({ exitCode: 0, echoes: true })
    expect(terminal.shown()).toContain('Nothing to change')
    expect(run.files()).toEqual(before)
  })

  test.each([
    ['the first question', 'The address that users reach', []],
    ['a secret', 'key of Stripe', ['--public-url', 'https://alibi.invalid', '--name', 'x']],
  ])('is stopped by Ctrl-C at %s, with nothing written and the echo back', async (_, at, flags) => {
    await using run = await openSetupRun()
    const given = flags.length === 0 ? [] : [...flags, '--price', '400', '--currency', 'eur']
    const terminal = atTerminal(run, ...given)
    await terminal.answer(at, `sk_test_half${CTRL_C}`)
    expect(await terminal.ended()).toMatchObject({ exitCode: 130, echoes: true })
    expect(terminal.shown()).toContain('nothing was changed')
    expect(existsSync(run.envFile)).toBe(false)
    expect(run.changes()).toEqual([])
  })

  test('does not delete an endpoint whose secret it does not know without a yes', async () => {
    await using run = await openSetupRun()
    run.begin()
    run.double.addWebhookEndpoint({
      url: 'https://alibi.invalid/webhook/stripe',
      enabled_events: ['*'],
    })
    const product = ['--name', 'Excuses', '--price', '400', '--currency', 'eur']
    const database = ['--database-url', `sqlite:${join(run.folder, 'alibi.db')}`]
    const flags = [...run.flags, ...product, ...database]
    const hesitant = atTerminal(run, ...flags)
    await hesitant.answer('Do that? [y/N]', '\r')
    expect(await hesitant.ended()).toMatchObject({ exitCode: 1, echoes: true })
    expect(run.text()).toBe(run.before)
    expect(run.changes()).toEqual([])

    const sure = atTerminal(run, ...flags)
    await sure.answer('Do that? [y/N]', 'y\r')
    expect(await sure.ended()).toMatchObject({ exitCode: 0 })
    expect(run.endpoints()).toHaveLength(1)
    expect(run.endpoints()[0]?.enabled_events).not.toEqual(['*'])
  })

  test('asks for another key where Stripe does not know the one that was typed', async () => {
    await using run = await openSetupRun()
    run.begin()
    const product = ['--name', 'Excuses', '--price', '400', '--currency', 'eur']
    const terminal = atTerminal(run, '--public-url', 'https://alibi.invalid', ...product)
    await terminal.answer('apikeys: ', 'sk_test_WrongOne\r')
    await terminal.answer('Stripe refuses STRIPE_SECRET_KEY', '')
    await terminal.answer('apikeys [Enter', `${stripe}\r`)
    await terminal.answer('the key works, in test mode', '')
    await terminal.answer('The database', CTRL_C)
    expect(await terminal.ended()).toMatchObject({ exitCode: 130, echoes: true })
    expect(terminal.shown()).not.toContain('WrongOne')
    expect(run.text()).toBe(run.before)
  })
})
