import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { builtExecutable } from '../support/executable/built.ts'
import { FROM_SOURCE, runAlibi } from '../support/service/alibi-process.ts'
import { sharedTemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

/** Of what is left most is the network, which it cannot do without. */
const EXPOSURE_MAX = 1.2
const UNITS = '/usr/lib/systemd/system'

let executable: string
let root: string
beforeAll(async () => {
  executable = await builtExecutable()
})
beforeEach(() => {
  root = temporaryFolder()
  chmodSync(root, 0o755)
})

const at = (path: string) => join(root, path)
const run = (...parameters: string[]) =>
  runAlibi({ command: [executable, ...parameters], cwd: root })
const modeOf = (path: string) => (statSync(at(path)).mode & 0o777).toString(8)

test('service print prints the unit that service install writes, and needs nothing', async () => {
  // Its name servers make it this machine's.
  if (existsSync('/etc/resolv.conf')) {
    mkdirSync(at('etc'))
    writeFileSync(at('etc/resolv.conf'), readFileSync('/etc/resolv.conf'))
  }
  expect(await run('service', 'install', '--root', root)).toMatchObject({ exitCode: 0, stderr: '' })
  const printed = await run('service', 'print')
  expect(printed).toEqual({
    exitCode: 0,
    stdout: readFileSync(at('/etc/systemd/system/alibi.service'), 'utf8'),
    stderr: '',
  })
})

describe('service install --root', () => {
  test('puts the executable itself into the image, and there is no changing it the second time', async () => {
    const first = await run('service', 'install', '--root', root, '--json')
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(first.stdout)).toMatchObject({
      enabled: true,
      restarted: false,
      active: null,
    })
    expect(readFileSync(at('/usr/local/bin/alibi')).equals(readFileSync(executable))).toBe(true)

    const again = await runAlibi({
      command: [at('/usr/local/bin/alibi'), 'service', 'install', '--root', root],
      cwd: root,
    })
    expect(again.stdout).toStartWith('Nothing to change: alibi ')
    expect(existsSync(at('/usr/local/bin/alibi.previous'))).toBe(false)
  })

  test('lets everybody run and read what they have to, and nobody read the secrets, whatever the umask', async () => {
    const command = ['sh', '-c', `umask 077; exec ${executable} service install --root ${root}`]
    expect(await runAlibi({ command, cwd: root })).toMatchObject({ exitCode: 0 })
    const modes = Object.fromEntries(
      [
        '/usr/local/bin',
        '/usr/local/bin/alibi',
        '/etc/systemd/system/alibi.service',
        '/usr/local/share/bash-completion/completions/alibi',
        '/etc/alibi',
        '/etc/alibi/alibi.env',
        '/etc/alibi/credentials',
        '/etc/alibi/credentials/JWT_SECRET',
      ].map((path) => [path, modeOf(path)]),
    )
    expect(modes).toEqual({
      '/usr/local/bin': '755',
      '/usr/local/bin/alibi': '755',
      '/etc/systemd/system/alibi.service': '644',
      '/usr/local/share/bash-completion/completions/alibi': '644',
      '/etc/alibi': '755',
      '/etc/alibi/alibi.env': '600',
      '/etc/alibi/credentials': '700',
      '/etc/alibi/credentials/JWT_SECRET': '600',
    })
  })

  test('twice at once ends in one secret, and keeps the executable before', async () => {
    mkdirSync(at('/usr/local/bin'), { recursive: true })
    writeFileSync(at('/usr/local/bin/alibi'), 'the one before')
    const install = () => run('service', 'install', '--root', root, '--json')
    const outcomes = await Promise.all([install(), install()])
    expect(outcomes.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ])
    expect(readFileSync(at('/usr/local/bin/alibi')).equals(readFileSync(executable))).toBe(true)
    expect(readFileSync(at('/usr/local/bin/alibi.previous'), 'utf8')).toBe('the one before')
    const made = outcomes.flatMap(({ stdout }) =>
      (JSON.parse(stdout).files as { path: string; change: string }[]).filter(
        ({ path, change }) => path.endsWith('/JWT_SECRET') && change === 'created',
      ),
    )
    expect(made).toHaveLength(1)
  })

  test('installs the completion that the command completion prints', async () => {
    await run('service', 'install', '--root', root)
    const { stdout } = await run('completion', 'bash')
    const path = at('/usr/local/share/bash-completion/completions/alibi')
    expect(readFileSync(path, 'utf8')).toBe(stdout)
  })

  test('prints no secret', async () => {
    const { stdout, stderr } = await run('service', 'install', '--root', root)
    const secret = readFileSync(at('/etc/alibi/credentials/JWT_SECRET'), 'utf8').trim()
    expect(stdout + stderr).not.toContain(secret)
  })

  test('into what is no folder fails, and names the option', async () => {
    expect(await run('service', 'install', '--root', at('/nowhere'))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `alibi: --root: ${at('/nowhere')} must be a folder\n`,
    })
  })

  test('from source is refused, and says what can be installed', async () => {
    const command = [...FROM_SOURCE, 'service', 'install', '--root', root]
    const outcome = await runAlibi({ command, cwd: root })
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
    expect(outcome.stderr).toContain('npm run build')
    expect(existsSync(at('/usr'))).toBe(false)
  })
})

describe('without the rights of root, this machine', () => {
  /** As somebody else where that can be done, else as whoever runs the tests, who is not root then. */
  const asOther = process.geteuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []

  test.each(['install', 'uninstall'])(
    'is not changed by service %s, which says so',
    async (verb) => {
      // Where the checkout lies may be closed to others.
      const copy = at('/alibi')
      cpSync(executable, copy)
      const outcome = await runAlibi({
        command: [...asOther, copy, 'service', verb],
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      })
      expect(outcome).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `alibi: service ${verb} changes this machine, which only root may do: run it with sudo\n`,
      })
    },
  )
})

test('service uninstall --root takes the service out of the image, and leaves settings and secrets', async () => {
  await run('service', 'install', '--root', root)
  const outcome = await run('service', 'uninstall', '--root', root, '--json')
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(outcome.stdout)).toEqual({
    removed: [
      '/etc/systemd/system/multi-user.target.wants/alibi.service',
      '/etc/systemd/system/alibi.service',
      '/usr/local/share/bash-completion/completions/alibi',
      '/usr/local/bin/alibi',
    ],
    kept: ['/etc/alibi'],
  })
  expect(existsSync(at('/etc/alibi/credentials/JWT_SECRET'))).toBe(true)
  expect((await run('service', 'uninstall', '--root', root)).stdout).toStartWith(
    'The service is not installed.\n',
  )
})

describe('the installed unit', () => {
  if (Bun.which('systemd-analyze') === null || !existsSync(UNITS)) {
    process.stdout.write('not tested here: systemd-analyze on the unit (it is not installed)\n')
    return
  }
  const image = sharedTemporaryFolder()
  beforeAll(async () => {
    const command = [executable, 'service', 'install', '--root', image]
    await runAlibi({ command, cwd: image })
    // Those that every unit depends on.
    cpSync(UNITS, join(image, UNITS), { recursive: true, verbatimSymlinks: true })
    symlinkSync('usr/lib', join(image, 'lib'))
    mkdirSync(join(image, 'etc/systemd/system'), { recursive: true })
  })

  const analyze = (...parameters: string[]) =>
    runAlibi({
      command: ['systemd-analyze', `--root=${image}`, ...parameters, 'alibi.service'],
      cwd: image,
      env: { PATH: '/usr/bin:/bin', SYSTEMD_COLORS: '0', LC_ALL: 'C' },
    })

  test('has nothing that systemd-analyze verify complains of', async () => {
    expect(await analyze('verify', '--man=no')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test(`is exposed by ${EXPOSURE_MAX} at most, of 10, as systemd-analyze security counts`, async () => {
    const { exitCode, stdout } = await analyze('security', '--offline=true', '--no-pager')
    const [, level] = /Overall exposure level for alibi[.]service: ([0-9.]+)/.exec(stdout) ?? []
    process.stdout.write(`systemd-analyze security: ${level}\n`)
    expect(Number(level)).toBeLessThanOrEqual(EXPOSURE_MAX)
    expect(exitCode).toBe(0)
  })
})
