import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  buyer,
  openProduction,
  type Production,
  SECRETS,
} from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { quietPort } from '../support/quiet-port.ts'
import { bootMachine, type Machine } from '../support/systemd/machine.ts'

// The installed service under a real systemd, from its installation to its removal: each test goes on where the one
// before it has ended.

const ALIBI = '/usr/local/bin/alibi'
const SETTINGS = '/etc/alibi/alibi.env'
const CREDENTIALS = '/etc/alibi/credentials'
const BY_HAND = ['--env-file', SETTINGS]
/** Where clouds hand out the keys of a machine, and where some have a name server. */
const METADATA = '169.254.169.254'
const NAME_SERVER = '169.254.169.253'
/** What systemd says where it can only pretend. */
const NO_FIREWALL = 'does not support BPF/cgroup firewalling'

const found = await bootMachine()
if (typeof found === 'string') {
  process.stdout.write(`not tested here: the service under a real systemd (${found})\n`)
} else {
  const [production, port] = [await openProduction(), await quietPort()]
  afterAll(async () => {
    await found[Symbol.asyncDispose]()
    await production[Symbol.asyncDispose]()
  })
  describe(`under ${found.version}`, () => testService(found, production, port))
}

function testService(machine: Machine, production: Production, port: number) {
  const url = `http://127.0.0.1:${port}`
  const { run, sure } = machine
  const customer = buyer({ url }, production, 'customer@example.com')

  const property = (name: string) =>
    sure(['systemctl', 'show', 'alibi', `--property=${name}`, '--value'])
  const status = async () => JSON.parse((await run([ALIBI, 'service', 'status', '--json'])).stdout)
  const journal = () => sure(['journalctl', '--unit=alibi', '--no-pager', '--output=cat'])
  /** Resolves once the journal, which another process writes, says so. */
  const untilJournal = (text: string) =>
    until(`the journal has ${text}`, async () => (await journal()).includes(text))
  /** What of that needs an operator. */
  const grave = () =>
    sure(['journalctl', '--unit=alibi', '--no-pager', '--output=cat', '--priority=err'])
  const isReady = () =>
    client(url)
      .get('/ready')
      .then(
        ({ status }) => status === 200,
        () => false,
      )

  /** Everything in the folder of the service that is not the service's own. */
  async function foreignFiles(): Promise<string> {
    const user = await sure(['stat', '--format=%u', '/var/lib/alibi/'])
    return sure(['find', '/var/lib/alibi/', '!', '-user', user])
  }

  /** Whether a process of the unit may send a datagram there; of no unit where it is null. */
  async function canSend(address: string, unit: string | null): Promise<boolean> {
    const join =
      unit === null
        ? ''
        : `echo $$ >/sys/fs/cgroup$(systemctl show ${unit} -P ControlGroup)/cgroup.procs && `
    const { exitCode } = await run(['bash', '-c', `${join}echo x >/dev/udp/${address}/9`])
    return exitCode === 0
  }

  /** In milliseconds, until the service serves by another process. */
  async function recoveryFrom(signal: 'STOP' | 'KILL'): Promise<number> {
    const pid = await property('MainPID')
    // A service that does not run has 0, which for kill(1) would be the group of these very tests.
    expect(Number(pid)).toBeGreaterThan(1)
    const startedAt = performance.now()
    await sure(['sh', '-c', `kill -${signal} ${pid}`])
    await until(
      `another process serves after SIG${signal}`,
      async () => (await property('MainPID')) !== pid && (await isReady()),
    )
    return performance.now() - startedAt
  }

  test('service install enables the service without starting it, and changes nothing the second time', async () => {
    await machine.write('/root/alibi', Bun.file(production.executable))
    await sure(['chmod', '+x', '/root/alibi'])
    const installed = await sure(['/root/alibi', 'service', 'install'])
    expect(installed).toContain('The service is enabled: it starts with the machine.')
    expect(installed).toContain('sudo systemctl start alibi')
    expect(await status()).toMatchObject({ installed: true, enabled: true, active: false })
    expect((await run(['systemctl', 'is-enabled', 'alibi'])).stdout).toBe('enabled\n')

    const again = JSON.parse(await sure(['/root/alibi', 'service', 'install', '--json']))
    const changes = again.files.map(({ change }: { change: string }) => change)
    expect(new Set(changes)).toEqual(new Set(['unchanged', 'kept']))
    expect(again).toMatchObject({ enabled: false, restarted: false, active: false })
  })

  test('with a setting or a file missing it fails, says what is missing, and is not tried again', async () => {
    expect((await run(['systemctl', 'start', 'alibi'])).exitCode).not.toBe(0)
    expect(await status()).toMatchObject({
      active: false,
      state: 'failed (failed)',
      restarts: 0,
      lastExit: 'exit code 78',
    })
    await untilJournal('\nalibi: PUBLIC_URL is required')
    expect(await grave()).toContain('alibi: PUBLIC_URL is required')

    await sure(['rm', `${CREDENTIALS}/RESEND_API_KEY`])
    expect((await run(['systemctl', 'start', 'alibi'])).exitCode).not.toBe(0)
    expect(await status()).toMatchObject({ restarts: 0, lastExit: 'exit code 243' })
    expect(await sure([ALIBI, 'service', 'install'])).toContain(
      `created    ${CREDENTIALS}/RESEND_API_KEY`,
    )
  })

  test('with its settings filled in it starts, says where it serves, and is reached there', async () => {
    const { STRIPE_API_URL, RESEND_BASE_URL, EMAIL_FROM, PUBLIC_URL } = production.settings
    const filledIn = {
      PUBLIC_URL,
      EMAIL_FROM,
      PORT: String(port),
      STRIPE_API_URL,
      RESEND_BASE_URL,
      RATE_LIMIT_AUTH: 'off',
      RATE_LIMIT_GENERAL: 'off',
      MAIL_LIMIT: 'off',
    }
    const text = await machine.read(SETTINGS)
    await machine.write(SETTINGS, fillIn(text, filledIn))
    for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'RESEND_API_KEY'] as const) {
      await machine.write(join(CREDENTIALS, name), `${SECRETS[name]}\n`)
    }
    // The runtime inside would obey both.
    await sure([
      'systemctl',
      'set-environment',
      'BUN_BE_BUN=1',
      'BUN_OPTIONS=--preload=/nowhere.ts',
    ])
    // A command that root runs first must not make a folder that the service cannot use.
    await sure([ALIBI, 'migrate', ...BY_HAND])
    await sure(['systemctl', 'start', 'alibi'])

    expect(await isReady()).toBe(true)
    expect(await foreignFiles()).toBe('')
    const { version } = JSON.parse(await sure([ALIBI, 'version', '--json']))
    expect(await status()).toMatchObject({
      active: true,
      state: 'active (running)',
      status: `serves at ${url}, version ${version}`,
      restarts: 0,
      lastExit: null,
    })
    expect((await run(['systemctl', 'is-active', 'alibi'])).stdout).toBe('active\n')
    expect(await property('StatusText')).toContain(url)
  })

  test('within its sandbox it mails, sells and makes its backup', async () => {
    production.double.deliverTo(`${url}/webhook/stripe`)
    await customer.buy()
    expect(await customer.hasPremium()).toBe(true)
    await untilJournal('"event":"backup.made"')
    // The journal knows how grave each line is, and shows it as it was written.
    expect(await journal()).toContain('\n{"time":')
    expect(await grave()).not.toContain('"level":"info"')
    const backups = (await sure(['ls', '/var/lib/alibi/backups'])).split('\n')
    expect(backups).toContainEqual(expect.stringMatching(/^alibi-[0-9]{8}T[0-9]{6}Z[.]db$/))
  })

  test('the sandbox lets it do what it has to, and nothing else', async () => {
    const unit = await sure([ALIBI, 'service', 'print'])
    const probe = unit
      .replace(/^ExecStart=.*$/m, `ExecStart=${ALIBI} /etc/alibi/probe.ts`)
      .replace('Type=notify', 'Type=oneshot')
      .replace(/^(?:Restart|WatchdogSec|UnsetEnvironment)=.*$/gm, '')
      .replace('[Install]', 'Environment=BUN_BE_BUN=1 BUN_OPTIONS=\n[Install]')
    await machine.write('/etc/systemd/system/probe.service', probe)
    await machine.write(
      '/etc/alibi/probe.ts',
      Bun.file(join(import.meta.dir, '../support/systemd/probe.ts')),
    )
    await sure(['systemctl', 'daemon-reload'])
    const { exitCode } = await run(['systemctl', 'start', 'probe'])
    if (exitCode !== 0) throw new Error(await sure(['journalctl', '--unit=probe', '--no-pager']))
    // The journal is written by another process, and may come later.
    let said = ''
    await until('the journal has what the probe says', async () => {
      const found = await run(['journalctl', '--unit=probe', '--output=cat', '--grep=attempted'])
      said = found.stdout
      return found.exitCode === 0
    })
    const { can, user } = JSON.parse(said)
    expect(can).toEqual([
      'reads a credential',
      'reads the settings of the service',
      'writes to its state',
      'writes to its own /tmp',
      'runs itself',
      'gives way to others',
      'listens on a free port',
    ])
    expect(user).toBeGreaterThan(0)

    // What cannot be done inside can be done outside: else the probe would show nothing.
    const env = ['BUN_BE_BUN=1', `CREDENTIALS_DIRECTORY=${CREDENTIALS}`, 'STATE_DIRECTORY=/root']
    const outside = JSON.parse(await sure(['env', ...env, ALIBI, '/etc/alibi/probe.ts']))
    const own = 'reads the settings of the service'
    expect(outside.can).toEqual(outside.attempted.filter((one: string) => one !== own))
  })

  test('the process has no privileges, none to gain, and no core dump', async () => {
    const pid = await property('MainPID')
    const status = await machine.read(`/proc/${pid}/status`)
    const read = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]
    const none = '0000000000000000'
    expect(['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'].map(read)).toEqual([none, none, none, none])
    expect([read('NoNewPrivs'), read('Seccomp')]).toEqual(['1', '2'])
    const limits = await machine.read(`/proc/${pid}/limits`)
    expect(limits).toMatch(/^Max core file size +0 +0 /m)
    const [, files = ''] = /^Max open files +([0-9]+) /m.exec(limits) ?? []
    const wanted = /^LimitNOFILE=([0-9]+)$/m.exec(await sure([ALIBI, 'service', 'print']))?.[1]
    if (files !== wanted) {
      process.stdout.write(
        `not applied here: LimitNOFILE=${wanted} (this machine allows ${files})\n`,
      )
    }
  })

  test('memory and tasks are bounded', async () => {
    expect(await property('MemoryMax')).toBe(String(512 * 1024 * 1024))
    expect(await property('TasksMax')).toBe('512')
    const pid = await property('MainPID')
    const status = await machine.read(`/proc/${pid}/status`)
    const read = (name: string) =>
      Number(new RegExp(`^${name}:\\s*([0-9]+)`, 'm').exec(status)?.[1])
    const [threads, mebibytes] = [read('Threads'), Math.round(read('VmRSS') / 1024)]
    process.stdout.write(`while it serves: ${threads} threads, ${mebibytes} MiB\n`)
    expect(threads).toBeLessThan(128)
    expect(mebibytes).toBeLessThan(256)
  })

  test('no link-local address can be reached, but for the name server of /etc/resolv.conf', async () => {
    await machine.write('/etc/resolv.conf', `nameserver ${NAME_SERVER}\n`)
    expect(await sure([ALIBI, 'service', 'install'])).toContain(`name server ${NAME_SERVER},`)
    expect(await property('IPAddressAllow')).toContain(NAME_SERVER)
    expect(await property('IPAddressDeny')).toContain('169.254.0.0/16')
    expect(await isReady()).toBe(true)

    const [outside, inside, nameServer] = [
      await canSend(METADATA, null),
      await canSend(METADATA, 'alibi.service'),
      await canSend(NAME_SERVER, 'alibi.service'),
    ]
    const log = await sure(['journalctl', '--no-pager', '--output=cat'])
    if (!outside || log.includes(NO_FIREWALL)) {
      const reason = outside ? 'the kernel lets no unit filter addresses' : 'there is no route'
      process.stdout.write(`not tested here: link-local addresses (${reason})\n`)
      return
    }
    expect({ inside, nameServer }).toEqual({ inside: false, nameServer: true })
  })

  test('only root and the service can read its secrets', async () => {
    const pid = await property('MainPID')
    const secret = await machine.read(`${CREDENTIALS}/JWT_SECRET`)
    for (const path of [
      `${CREDENTIALS}/JWT_SECRET`,
      SETTINGS,
      '/run/credentials/alibi.service/JWT_SECRET',
      `/proc/${pid}/environ`,
      '/var/lib/alibi/alibi.db',
    ]) {
      const attempt = await run(['setpriv', '--reuid=nobody', '--clear-groups', 'cat', path])
      expect([path, attempt.exitCode, attempt.stdout]).toEqual([path, 1, ''])
    }
    expect(secret).toHaveLength(44)
    expect(await machine.read(`/proc/${pid}/environ`)).not.toContain(secret)
    expect(await machine.read(`/proc/${pid}/cmdline`)).not.toContain(secret)
  })

  test('commands that root runs beside it use the same settings, and leave nothing that the service cannot open', async () => {
    const shown = await sure([ALIBI, 'status', customer.email, ...BY_HAND])
    expect(shown).toContain(customer.email)
    await sure([ALIBI, 'grant', 'friend@example.com', ...BY_HAND])
    await sure([ALIBI, 'backup', '/root/alibi.db', ...BY_HAND])
    await sure([ALIBI, 'doctor', '--offline', ...BY_HAND])
    expect(await foreignFiles()).toBe('')

    await sure(['systemctl', 'stop', 'alibi'])
    await sure([ALIBI, 'doctor', '--offline', ...BY_HAND])
    await sure([ALIBI, 'status', customer.email, ...BY_HAND])
    await sure([ALIBI, 'migrate', ...BY_HAND])
    await sure([ALIBI, 'grant', 'other@example.com', ...BY_HAND])
    expect(await foreignFiles()).toBe('')
    await sure([ALIBI, 'restore', '/root/alibi.db', ...BY_HAND])
    expect(await foreignFiles()).toBe('')
    await sure(['systemctl', 'start', 'alibi'])
    expect(await customer.hasPremium()).toBe(true)
  })

  test('the watchdog ends a process that hangs, and another one serves', async () => {
    const milliseconds = await recoveryFrom('STOP')
    process.stdout.write(`SIGSTOP: serving again after ${Math.round(milliseconds)} ms\n`)
    expect(await journal()).not.toContain('watchdog.unhealthy')
    await untilJournal('Watchdog timeout')
    expect(await status()).toMatchObject({ active: true, restarts: 1 })
  })

  test('a process that is killed is followed by another one, which knows what was sold', async () => {
    const milliseconds = await recoveryFrom('KILL')
    process.stdout.write(`SIGKILL: serving again after ${Math.round(milliseconds)} ms\n`)
    expect(await status()).toMatchObject({ active: true, restarts: 2 })
    expect(await customer.hasPremium()).toBe(true)
  })

  test('stopped, it ends by itself and without a complaint, and it starts with the machine again', async () => {
    await sure(['systemctl', 'stop', 'alibi'])
    expect(await property('Result')).toBe('success')
    expect(await status()).toMatchObject({
      active: false,
      state: 'inactive (dead)',
      enabled: true,
      lastExit: 'exit code 0',
    })
    expect((await run([ALIBI, 'service', 'status'])).exitCode).toBe(1)
    await sure(['systemctl', 'start', 'multi-user.target', 'alibi'])
    expect(await isReady()).toBe(true)
  })

  test('service install of another executable restarts the service, and keeps the previous one', async () => {
    const pid = await property('MainPID')
    const before = await sure(['sha256sum', ALIBI])
    await sure(['sh', '-c', 'echo >>/root/alibi'])
    const upgraded = JSON.parse(await sure(['/root/alibi', 'service', 'install', '--json']))
    expect(upgraded).toMatchObject({ restarted: true, enabled: false, active: true })
    expect(upgraded.files).toContainEqual({ path: ALIBI, change: 'replaced' })
    expect(await property('MainPID')).not.toBe(pid)
    expect(await isReady()).toBe(true)
    expect(await customer.hasPremium()).toBe(true)
    const previous = await sure(['sha256sum', `${ALIBI}.previous`])
    expect(previous.split(' ')[0]).toBe(before.split(' ')[0]!)

    const same = JSON.parse(await sure([ALIBI, 'service', 'install', '--json']))
    expect(same).toMatchObject({ restarted: false })

    // As after an upgrade that was cut short between the file and the restart.
    await sure(['sh', '-c', `cp ${ALIBI} ${ALIBI}.copy && mv ${ALIBI}.copy ${ALIBI}`])
    const resumed = JSON.parse(await sure([ALIBI, 'service', 'install', '--json']))
    expect(resumed).toMatchObject({ restarted: true, active: true })
  })

  test('service uninstall stops it and takes it away, and leaves data, settings and secrets', async () => {
    const removed = await sure([ALIBI, 'service', 'uninstall'])
    expect(removed).toContain('kept     /var/lib/alibi')
    expect(removed).toContain('kept     /etc/alibi')
    expect(await isReady()).toBe(false)
    expect((await run(['systemctl', 'status', 'alibi'])).exitCode).toBe(4)
    expect(await sure(['find', '/usr/local/bin', '-name', 'alibi*'])).toBe('')
    expect(await sure(['ls', '/var/lib/alibi'])).toContain('alibi.db')
    expect(await machine.read(SETTINGS)).toContain(`PORT=${port}`)
  })
}

/** The settings file with these values, each at its place. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((filled, [name, value]) => {
    const line = new RegExp(`^#?${name}=.*$`, 'm')
    if (!line.test(filled)) throw new Error(`there is no place for ${name}`)
    return filled.replace(line, `${name}=${value}`)
  }, text)
}
