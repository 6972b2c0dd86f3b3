import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ENDPOINT_EVENT_TYPES } from '../../infrastructure/stripe/events.ts'
import { openSetupRun, SETUP_SECRETS } from '../support/service/setup-run.ts'
import { SMTP_LOGIN, startSmtpDouble } from '../support/smtp-double.ts'
import { FORBIDDEN, UNAUTHORIZED } from '../support/stripe-double/faults.ts'

const URL_OF_WEBHOOK = 'https://alibi.invalid/webhook/stripe'
const EVENTS: readonly string[] = ENDPOINT_EVENT_TYPES
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const { stripe, resend } = SETUP_SECRETS

describe('setup --yes', () => {
  test('writes every setting, keeps other lines, and makes the webhook endpoint', async () => {
    await using run = await openSetupRun()
    run.begin()
    const { exitCode, stdout, stderr } = await run.run('--yes', ...run.flags)
    expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.text()).toStartWith(run.before.trimEnd())
    expect(run.setting('PUBLIC_URL')).toBe('https://alibi.invalid')
    expect(run.setting('EMAIL_FROM')).toBe('Alibi <hello@alibi.example>')
    expect(run.setting('PREMIUM_NAME')).toBe('Alibi Premium')
    expect(run.setting('PREMIUM_PRICE')).toBe('400')
    expect(run.setting('PREMIUM_CURRENCY')).toBe('eur')
    expect(run.setting('STRIPE_SECRET_KEY')).toBe(stripe)
    expect(run.setting('RESEND_API_KEY')).toBe(resend)
    expect(run.setting('STRIPE_WEBHOOK_SECRET')).toMatch(/^whsec_/)
    expect(Buffer.from(run.setting('JWT_SECRET') ?? '', 'base64')).toHaveLength(32)
    expect(modeOf(run.envFile)).toBe('600')
    expect(run.endpoints()).toMatchObject([{ url: URL_OF_WEBHOOK, status: 'enabled' }])
    expect(new Set(run.endpoints()[0]?.enabled_events)).toEqual(new Set(EVENTS))
    expect(run.endpoints()[0]?.enabled_events).not.toContain('charge.refund.updated')
    expect(run.endpoints()[0]?.api_version).toBeString()
    expect(stdout).toEndWith('Open https://alibi.invalid/app\n')
    expect(stdout).toContain('€4.00')
  })

  test('changes neither a byte, a file time nor anything at Stripe the second time', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const [before, changes] = [run.files(), run.changes().length]
    const again = await run.run('--yes', ...run.flags)
    const bare = await run.run('--yes')
    for (const { exitCode, stdout } of [again, bare]) {
      expect(exitCode).toBe(0)
      expect(stdout).toContain('Nothing to change')
    }
    expect(run.files()).toEqual(before)
    expect(run.changes()).toHaveLength(changes)
  })

  test('changes only what is asked for', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const [before, changes] = [run.text(), run.changes().length]
    expect((await run.run('--yes', '--price', '9,50 €')).exitCode).toBe(0)
    expect(run.text()).toBe(before.replace('PREMIUM_PRICE=400', 'PREMIUM_PRICE=950'))
    expect(run.changes()).toHaveLength(changes)
  })

  test.each([
    [['--price', '5'], '500', '€5.00'],
    [['--price', '$4.99', '--currency', 'USD'], '499', '$4.99'],
  ])('takes a price as people write it, and repeats it: %j', async (flags, amount, shown) => {
    await using run = await openSetupRun()
    run.begin()
    const { exitCode, stdout } = await run.run('--yes', ...run.flags, ...flags)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`Sold is "Alibi Premium" for ${shown}.`)
    expect(run.setting('PREMIUM_PRICE')).toBe(amount)
    const again = await run.run('--yes', ...flags)
    expect(again.stdout).toContain('Nothing to change')
  })

  test('takes no default that Stripe would refuse', async () => {
    await using run = await openSetupRun()
    run.begin()
    const { exitCode, stdout } = await run.run('--yes', ...run.flags, '--currency', 'huf')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('PREMIUM_PRICE: it must be')
    expect(run.text()).toBe(run.before)
  })

  test('takes a mail server in place of Resend, once that lets it log in', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const smtp = await startSmtpDouble({ login: true })
    const smtpUrlFile = join(run.folder, 'smtp-url')
    appendFileSync(run.envFile, 'EMAIL_PROVIDER=resend\n')
    try {
      const before = run.text()
      writeFileSync(smtpUrlFile, smtp.url.replace(':a%20p', ':another'))
      const refused = await run.run('--yes', '--smtp-url-file', smtpUrlFile)
      expect(refused).toMatchObject({ exitCode: 1 })
      expect(refused.stdout).toContain('the mail server refuses the log-in')
      expect(run.text()).toBe(before)

      writeFileSync(smtpUrlFile, `${smtp.url}\n`)
      const { exitCode, stdout, stderr } = await run.run('--yes', '--smtp-url-file', smtpUrlFile)
      expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: '' })
      expect(stdout).toContain('the mail server answers without TLS, and takes the log-in')
      expect(run.setting('SMTP_URL')).toBe(smtp.url)
      expect(run.text()).not.toContain(resend)
      expect(run.setting('EMAIL_PROVIDER')).toBeUndefined()
      expect(stdout + stderr + refused.stdout + refused.stderr).not.toContain(
        encodeURIComponent(SMTP_LOGIN.password).slice(0, 4),
      )
    } finally {
      await smtp.stop()
    }
  })

  test('names the flags of every missing answer, exits with 2 and writes nothing', async () => {
    await using run = await openSetupRun()
    const { exitCode, stderr } = await run.run('--yes')
    expect(exitCode).toBe(2)
    const named = ['--public-url', '--stripe-key-file', '--resend-key-file', '--smtp-url-file']
    for (const flag of [...named, '--email-from']) expect(stderr).toContain(flag)
    expect(existsSync(run.envFile)).toBe(false)
    expect(run.double.requests).toEqual([])

    const elsewhere = await run.run(...run.flags)
    expect(elsewhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
    expect(existsSync(run.envFile)).toBe(false)
  })

  test('refuses malformed answers before anything is asked or written, and repeats no secret', async () => {
    await using run = await openSetupRun()
    const wrong = join(run.folder, 'wrong-key')
    writeFileSync(wrong, 'pk_live_NotASecretKey')
    for (const flags of [
      ['--public-url', 'http://alibi.example'],
      ['--price', '4.005'],
      ['--price', '$4'],
      ['--price', '0.05'],
      ['--currency', 'xxx'],
      ['--currency', 'euro'],
      ['--email-from', 'nobody'],
      ['--stripe-key-file', wrong],
      ['--stripe-key-file', join(run.folder, 'nothing-there')],
      ['--database-url', 'postgres://alibi:password@db/alibi'],
      ['--smtp-url-file', wrong],
    ]) {
      const { exitCode, stdout, stderr } = await run.run('--yes', ...run.flags, ...flags)
      expect([flags[0], exitCode]).toEqual([flags[0], 2])
      expect(stderr).toContain(flags[0] ?? '')
      expect(stdout + stderr).not.toContain('NotASecretKey')
    }
    expect(existsSync(run.envFile)).toBe(false)
    expect(run.double.requests).toEqual([])
  })

  test('keeps each secret in a file that only its owner can read', async () => {
    await using run = await openSetupRun()
    run.begin()
    const folder = join(run.folder, 'credentials')
    const first = await run.run('--yes', '--credentials', folder, ...run.flags)
    expect(first.exitCode).toBe(0)
    expect(modeOf(folder)).toBe('700')
    const names = ['JWT_SECRET', 'RESEND_API_KEY', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
    expect(readdirSync(folder).toSorted()).toEqual(names)
    for (const name of names) {
      expect(modeOf(join(folder, name))).toBe('600')
      expect(run.setting(name)).toBeUndefined()
    }
    expect(run.setting('CREDENTIALS_DIRECTORY')).toBe(folder)
    const before = run.files()
    expect((await run.run('--yes', '--credentials', folder, ...run.flags)).exitCode).toBe(0)
    expect((await run.run('--yes')).exitCode).toBe(0)
    expect(run.files()).toEqual(before)
  })

  test('closes a folder and a settings file that others could read', async () => {
    await using run = await openSetupRun()
    run.begin()
    const folder = join(run.folder, 'credentials')
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    chmodSync(run.envFile, 0o644)
    await run.run('--yes', '--credentials', folder, ...run.flags)
    expect(modeOf(folder)).toBe('700')
    await using other = await openSetupRun()
    other.begin()
    chmodSync(other.envFile, 0o644)
    await other.run('--yes', ...other.flags)
    expect(modeOf(other.envFile)).toBe('600')
  })

  test('prints no secret', async () => {
    await using run = await openSetupRun()
    run.begin()
    const first = await run.run('--yes', ...run.flags)
    const second = await run.run('--yes')
    const shown = first.stdout + first.stderr + second.stdout + second.stderr
    const names = ['JWT_SECRET', 'RESEND_API_KEY', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
    for (const name of names) {
      const value = run.setting(name) ?? ''
      expect(value.length).toBeGreaterThan(10)
      expect(shown).not.toContain(value)
    }
  })

  test('writes nothing where Stripe does not know the key', async () => {
    await using run = await openSetupRun()
    run.begin()
    run.double.fault(UNAUTHORIZED, { times: 20 })
    const { exitCode, stdout } = await run.run('--yes', ...run.flags)
    expect(exitCode).toBe(1)
    expect(stdout).toContain('Stripe refuses STRIPE_SECRET_KEY')
    expect(run.text()).toBe(run.before)
  })

  test('writes nothing where the mail provider does not know the domain', async () => {
    await using run = await openSetupRun()
    run.begin()
    run.mailbox.domains.length = 0
    const { exitCode, stdout } = await run.run('--yes', ...run.flags)
    expect(exitCode).toBe(1)
    expect(stdout).toContain('Resend does not know alibi.example')
    expect(run.text()).toBe(run.before)
    expect(run.endpoints()).toEqual([])
  })

  test('names every other setting that is wrong, exits with 78 and writes nothing', async () => {
    await using run = await openSetupRun()
    writeFileSync(run.envFile, `${run.before}TOKEN_TTL=forever\n`)
    const { exitCode, stderr } = await run.run('--yes', ...run.flags)
    expect(exitCode).toBe(78)
    expect(stderr).toContain('TOKEN_TTL')
    expect(run.text()).toBe(`${run.before}TOKEN_TTL=forever\n`)
    expect(run.endpoints()).toEqual([])
  })

  test('gives purchases with a test key a database of their own, and says what sales need', async () => {
    await using run = await openSetupRun()
    run.begin()
    const { stdout } = await run.run('--yes', ...run.flags)
    expect(run.setting('DATABASE_URL')).toBe('sqlite:./data/alibi-test.db')
    expect(stdout).toContain('For sales, run this again with the live key')
  })
})

describe('the webhook endpoint', () => {
  test('is mended where it is disabled or listens to something else', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const [made] = run.endpoints()
    const secret = run.setting('STRIPE_WEBHOOK_SECRET')
    if (!made) throw new Error('none was made')
    run.double.webhookEndpoints.set(made.id, { ...made, status: 'disabled', enabled_events: ['*'] })
    const { exitCode, stdout } = await run.run('--yes')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Mended the webhook endpoint')
    expect(run.endpoints()).toMatchObject([{ id: made.id, status: 'enabled' }])
    expect(new Set(run.endpoints()[0]?.enabled_events)).toEqual(new Set(EVENTS))
    expect(run.setting('STRIPE_WEBHOOK_SECRET')).toBe(secret)
  })

  test('whose secret is not known is deleted only once the secret of a new one is stored', async () => {
    await using run = await openSetupRun()
    run.begin()
    run.double.addWebhookEndpoint({ url: URL_OF_WEBHOOK, enabled_events: [...EVENTS] })
    const [old] = run.endpoints()
    expect((await run.run('--yes', ...run.flags)).exitCode).toBe(0)
    expect(run.endpoints()).toHaveLength(1)
    expect(run.endpoints()[0]?.id).not.toBe(old?.id)
    expect(run.changes()).toEqual([
      'POST /v1/webhook_endpoints',
      'POST /v1/webhook_endpoints/:id',
      'DELETE /v1/webhook_endpoints/:id',
    ])
    expect(run.setting('STRIPE_WEBHOOK_SECRET')).toMatch(/^whsec_/)
  })

  test('of another machine is kept by every later run, and is a step to take', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const [first] = run.endpoints()
    const [firstSettings, secret] = [run.text(), run.setting('STRIPE_WEBHOOK_SECRET') ?? '']

    run.begin()
    const second = await run.run('--yes', ...run.flags)
    expect(second.exitCode).toBe(1)
    expect(second.stdout).toContain(`To do: The endpoint ${first?.id} was kept`)
    expect(run.endpoints()).toMatchObject([{ id: first?.id, metadata: first?.metadata }, {}])
    const secondId = run.endpoints()[1]?.id
    const secondSettings = run.text()

    const changes = run.changes().length
    for (const [settings, foreign] of [
      [secondSettings, first?.id],
      [firstSettings, secondId],
    ] as const) {
      writeFileSync(run.envFile, settings)
      const again = await run.run('--yes', ...run.flags)
      expect(again.exitCode).toBe(1)
      expect(again.stdout).toContain('Nothing to change')
      expect(again.stdout).toContain(`To do: The endpoint ${foreign} was kept`)
    }
    expect(run.changes()).toHaveLength(changes)

    const file = join(run.folder, 'webhook-secret')
    writeFileSync(file, secret)
    run.double.webhookEndpoints.delete(secondId ?? '')
    writeFileSync(run.envFile, secondSettings)
    const told = await run.run('--yes', '--webhook-secret-file', file)
    expect({ exitCode: told.exitCode, steps: told.stdout.includes('To do') }).toEqual({
      exitCode: 0,
      steps: false,
    })
    expect(run.endpoints()).toMatchObject([{ id: first?.id }])
  })

  test('that this machine made, and whose secret it has lost, is replaced', async () => {
    await using run = await openSetupRun()
    run.begin()
    await run.run('--yes', ...run.flags)
    const [old] = run.endpoints()
    writeFileSync(run.envFile, run.text().replace(/^STRIPE_WEBHOOK_SECRET=.*\n/m, ''))
    expect((await run.run('--yes')).exitCode).toBe(0)
    expect(run.endpoints()).toHaveLength(1)
    expect(run.endpoints()[0]?.id).not.toBe(old?.id)
  })

  test.each([
    ['before its secret was stored', 'POST /v1/webhook_endpoints'],
    ['before it was marked', 'POST /v1/webhook_endpoints/:id'],
    ['before the old one was deleted', 'DELETE /v1/webhook_endpoints/:id'],
  ])('of a run that was killed %s is put right by the next run', async (_, route) => {
    await using run = await openSetupRun()
    run.begin()
    run.double.addWebhookEndpoint({ url: URL_OF_WEBHOOK, enabled_events: [...EVENTS] })
    const release = run.double.hold(route)
    const killed = run.start('--yes', ...run.flags)
    await run.changed(route)
    killed.kill('SIGKILL')
    await killed.exited
    release()
    const next = await run.run('--yes', ...run.flags)
    expect(next.exitCode).toBe(0)
    expect(run.endpoints()).toHaveLength(1)
    const third = await run.run('--yes')
    expect(third.stdout).toContain('Nothing to change')
  })

  test('that a restricted key may not make is a step to take, and its secret is taken from a file', async () => {
    await using run = await openSetupRun({ stripeKey: 'rk_test_MayNotMakeEndpoints' })
    run.begin()
    run.double.fault(FORBIDDEN, { times: 99, on: 'POST /v1/webhook_endpoints' })
    const { exitCode, stdout } = await run.run('--yes', ...run.flags)
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1 })
    for (const told of [URL_OF_WEBHOOK, ...EVENTS, '--webhook-secret-file FILE']) {
      expect(stdout).toContain(told)
    }
    expect(run.setting('STRIPE_WEBHOOK_SECRET')).toBeUndefined()

    run.double.addWebhookEndpoint({ url: URL_OF_WEBHOOK, enabled_events: [...EVENTS] })
    const file = join(run.folder, 'webhook-secret')
    writeFileSync(file, 'whsec_MadeByHand\n')
    expect((await run.run('--yes', '--webhook-secret-file', file)).exitCode).toBe(0)
    expect(run.setting('STRIPE_WEBHOOK_SECRET')).toBe('whsec_MadeByHand')
    expect(run.endpoints()).toHaveLength(1)
    const again = await run.run('--yes')
    expect(again).toMatchObject({ exitCode: 0 })
    expect(again.stdout).toContain('Nothing to change')
  })
})
