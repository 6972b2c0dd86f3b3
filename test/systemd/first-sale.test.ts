import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buyer,
  openProduction,
  type Production,
  SECRETS,
} from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { quietPort } from '../support/quiet-port.ts'
import { openTerminal } from '../support/service/at-terminal.ts'
import { decodedHtml, startSmtpDouble } from '../support/smtp-double.ts'
import { bootMachine, type Machine } from '../support/systemd/machine.ts'
import { EXECUTABLE } from '../support/unpacked-release.ts'

// From an empty machine to the first sale, under a real systemd: `install.sh`, `setup`, a purchase, an excuse. Each
// test goes on where the one before it has ended.

const INSTALL_SCRIPT = join(import.meta.dir, '../../operations/install.sh')
const ALIBI = '/usr/local/bin/alibi'
const SETTINGS = '/etc/alibi/alibi.env'
const CREDENTIALS = '/etc/alibi/credentials'
const RELEASE = '/root/release'
const SENDER = 'Alibi <hello@alibi.example>'

/** A fresh machine with an unpacked release, and the providers that it reaches. A text says why there is none. */
async function openEmptyMachine() {
  const machine = await bootMachine()
  if (typeof machine === 'string') return machine
  const production = await openProduction()
  production.mailbox.domains.push({ name: 'alibi.example', status: 'verified' })
  const url = `http://127.0.0.1:${await quietPort()}`
  production.double.deliverTo(`${url}/webhook/stripe`)

  const files = new Map([
    [EXECUTABLE, readFileSync(production.executable)],
    ['install.sh', readFileSync(INSTALL_SCRIPT)],
  ])
  // As the installer of any real machine writes it.
  await machine.write('/etc/hosts', '127.0.0.1 localhost\n')
  await machine.sure(['mkdir', RELEASE])
  const sums = Array.from(files, ([name, bytes]) => {
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  for (const [name, bytes] of files) await machine.write(join(RELEASE, name), new Blob([bytes]))
  await machine.write(join(RELEASE, 'SHA256SUMS'), sums.join(''))
  return {
    machine,
    production,
    url,
    async [Symbol.asyncDispose]() {
      await machine[Symbol.asyncDispose]()
      await production[Symbol.asyncDispose]()
    },
  }
}

type EmptyMachine = Exclude<Awaited<ReturnType<typeof openEmptyMachine>>, string>

/** What an operator does first; then the providers of the tests take the place of the real ones. */
async function install({ machine, production, url }: EmptyMachine): Promise<void> {
  expect(await machine.sure(['sh', `${RELEASE}/install.sh`])).toContain('alibi setup')
  const { STRIPE_API_URL, RESEND_BASE_URL } = production.settings
  const own = { STRIPE_API_URL, RESEND_BASE_URL, PORT: new URL(url).port, RATE_LIMIT_AUTH: 'off' }
  const lines = Object.entries(own).map(([name, value]) => `${name}=${value}\n`)
  await machine.sure(['sh', '-c', `cat >>${SETTINGS}`], lines.join(''))
}

/** Buys as a stranger, and reads an excuse with the token. */
async function expectSale({ url }: EmptyMachine, production: Production, email: string) {
  const { buy, http } = buyer({ url }, production, email)
  const { token } = await buy()
  const { status, body } = await http.get('/premium-reasons', token)
  expect(status).toBe(200)
  expect(body['reason']).toBeString()
}

async function fileTimes(machine: Machine): Promise<string> {
  return machine.sure(['sh', '-c', `find ${SETTINGS} ${CREDENTIALS} -printf '%p %T@\n' | sort`])
}

const empty = [await openEmptyMachine(), await openEmptyMachine()] as const
const [first, second] = empty
if (typeof first === 'string' || typeof second === 'string') {
  const reason = [first, second].find((one) => typeof one === 'string')
  process.stdout.write(`not tested here: from an empty machine to the first sale (${reason})\n`)
} else {
  afterAll(async () => {
    for (const one of [first, second]) await one[Symbol.asyncDispose]()
  })
  describe(`under ${first.machine.version}`, () => {
    testSettingUpByFlags(first)
    testSettingUpAtATerminal(second)
  })
}

function testSettingUpByFlags(empty: EmptyMachine) {
  const { machine, production, url } = empty
  const { run, sure } = machine
  const keyFile = '/root/stripe-key'
  const pid = () => sure(['systemctl', 'show', 'alibi', '--property=MainPID', '--value'])

  test('install.sh, setup --yes and a purchase lead to an excuse', async () => {
    await machine.write(keyFile, `${SECRETS.STRIPE_SECRET_KEY}\n`)
    await machine.write('/root/resend-key', `${SECRETS.RESEND_API_KEY}\n`)
    const startedAt = performance.now()
    await install(empty)
    const flags = ['--public-url', url, '--email-from', SENDER, '--stripe-key-file', keyFile]
    const setup = [ALIBI, 'setup', '--yes', ...flags, '--resend-key-file', '/root/resend-key']
    const { exitCode, stdout, stderr } = await run(setup)
    expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: '' })
    expect(stdout).toContain('The service was started, and serves.')
    expect(stdout).toEndWith(`Open ${url}/app\n`)
    await expectSale(empty, production, 'first@example.com')
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`from install.sh to the first excuse that was paid for: ${seconds} s`)

    expect((await run(['systemctl', 'is-enabled', 'alibi'])).stdout).toBe('enabled\n')
    for (const secret of Object.values(SECRETS)) {
      expect(await machine.read(SETTINGS)).not.toContain(secret)
      expect(stdout).not.toContain(secret)
    }
  })

  test('setup run again with the same answers leaves files, service and endpoint alone', async () => {
    const before = [await fileTimes(machine), await pid()]
    const endpoints = [...production.double.webhookEndpoints.values()]
    const { exitCode, stdout } = await run([ALIBI, 'setup', '--yes'])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(stdout).toContain('Nothing to change')
    expect(stdout).toContain('The service runs, and was left alone.')
    expect([await fileTimes(machine), await pid()]).toEqual(before)
    expect([...production.double.webhookEndpoints.values()]).toEqual(endpoints)
  })

  test('setup puts a mail server in place of Resend, and the next customer gets every mail by it', async () => {
    const smtp = await startSmtpDouble({ login: true })
    try {
      await machine.write('/root/smtp-url', `${smtp.url}\n`)
      const setup = [ALIBI, 'setup', '--yes', '--smtp-url-file', '/root/smtp-url']
      const { exitCode, stdout, stderr } = await run(setup)
      expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: '' })
      expect(stdout).toContain('The service was started anew, and serves.')
      expect(await machine.read(`${CREDENTIALS}/RESEND_API_KEY`)).toBe('')

      const mailed = production.mailbox.mails.length
      const mailbox = { ...production.mailbox, latestCode: smtp.latestCode }
      await expectSale(empty, { ...production, mailbox }, 'second@example.com')
      const confirmations = () => smtp.mails.filter(({ raw }) => decodedHtml(raw).includes('€4.00'))
      await until('the payment is confirmed', () => confirmations().length > 0)
      expect(confirmations()).toHaveLength(1)
      expect(production.mailbox.mails).toHaveLength(mailed)
    } finally {
      await smtp.stop()
    }
  })

  test('where nothing is installed, setup installs the service itself', async () => {
    const settings = await machine.read(SETTINGS)
    const own = settings.match(/^(?:STRIPE_API_URL|RESEND_BASE_URL|PORT|RATE_LIMIT_AUTH)=.*$/gm)
    await sure(['sh', `${RELEASE}/install.sh`, '--uninstall', '--yes'])
    await sure(['rm', '-r', '/etc/alibi', '/var/lib/alibi'])
    expect((await run(['test', '-e', ALIBI])).exitCode).toBe(1)
    // Its signing secret is gone, and no setup deletes what may be another machine's.
    production.double.webhookEndpoints.clear()

    await sure(['mkdir', '/etc/alibi'])
    await machine.write(SETTINGS, `${own?.join('\n')}\n`)
    const flags = ['--public-url', url, '--email-from', SENDER, '--stripe-key-file', keyFile]
    const setup = [`${RELEASE}/${EXECUTABLE}`, 'setup', '--yes', ...flags]
    const { exitCode, stdout, stderr } = await run([
      ...setup,
      '--resend-key-file',
      '/root/resend-key',
    ])
    expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: '' })
    expect(stdout).toContain('Installed the service.')
    expect(stdout).toContain('The service was started, and serves.')
    await expectSale(empty, production, 'third@example.com')
  })
}

function testSettingUpAtATerminal(empty: EmptyMachine) {
  const { machine, production, url } = empty

  test('typed at a terminal, the answers lead to an excuse too', async () => {
    const startedAt = performance.now()
    await install(empty)
    const terminal = openTerminal([ALIBI, 'setup'], { wrap: machine.enter })
    await terminal.answer('The address that users reach', `${url}\r`)
    await terminal.answer('What is sold', 'My Excuses\r')
    await terminal.answer('The currency', '\r')
    await terminal.answer('[€4.00]', '\r')
    await terminal.answer('key of Stripe', `${SECRETS.STRIPE_SECRET_KEY}\r`)
    await terminal.answer('The database', '\r')
    await terminal.answer('How mails go', '\r')
    await terminal.answer('API key of Resend', `${SECRETS.RESEND_API_KEY}\r`)
    await terminal.answer('The sender of the mails', `${SENDER}\r`)
    await terminal.answer('Do that? [Y/n]', '\r')
    const { exitCode, echoes, controls } = await terminal.ended()
    expect({ exitCode, echoes, controls, shown: terminal.shown() }).toMatchObject({
      exitCode: 0,
      echoes: true,
      controls: [],
    })
    for (const secret of Object.values(SECRETS)) expect(terminal.shown()).not.toContain(secret)
    await expectSale(empty, production, 'first@example.com')
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`the same by typing: ${seconds} s`)
  })
}
