import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../infrastructure/sqlite/migrations.ts'
import { COMMANDS } from '../../interfaces/cli/commands/command-table.ts'
import packageJson from '../../package.json'
import { copySources } from '../support/executable/built.ts'
import { openProduction, type Production } from '../support/executable/production.ts'
import { client } from '../support/http/client.ts'
import { runAlibi } from '../support/service/alibi-process.ts'

const NEWEST = MIGRATIONS.at(-1)!.name

let production: Production
beforeAll(async () => {
  production = await openProduction()
})
afterAll(() => production[Symbol.asyncDispose]())

/** Without a single setting. */
const run = (...parameters: string[]) => production.run(parameters, {})

describe('wrong usage exits with 2, says why and where to look, and does nothing', () => {
  test.each([
    [['destroy'], 'destroy'],
    [['Serve'], 'Serve'],
    [['constructor'], 'constructor'],
    [['serve', '--force'], '--force'],
    [['serve', '-x'], '-x'],
    [['serve', '--json'], '--json'],
    [['serve', 'twice'], 'twice'],
    [['version', '--json=yes'], '--json'],
    [['migrate', '--env-file'], '--env-file'],
    [['help', 'destroy'], 'destroy'],
    [['help', 'serve', 'migrate'], 'migrate'],
    [['--serve'], '--serve'],
    [['service'], 'install, uninstall, status, print'],
    [['service', 'start'], 'install, uninstall, status, print'],
    [['service', 'install', '--yes'], '--yes'],
    [['backup'], 'alibi backup FILE'],
    [['restore', ''], 'alibi restore FILE'],
    [['erase', 'anna', '--yes'], '"anna"'],
    [['doctor', '--mail-to', 'anna'], '--mail-to'],
    [['doctor', '--offline', '--mail-to', 'anna@example.com'], '--offline'],
    [['completion', 'fish'], 'fish'],
    [[''], '""'],
  ])('%j', async (parameters, named) => {
    const outcome = await production.run(parameters, production.settings)
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' })
    const [problem, advice, ...rest] = outcome.stderr.split('\n')
    expect(problem).toContain(named)
    expect(advice).toContain('alibi help')
    expect(rest).toEqual([''])
    expect(existsSync(production.databasePath)).toBe(false)
  })
})

describe('help needs no setting', () => {
  test.each([[[]], [['help']], [['--help']], [['-h']]])(
    '%j shows every command',
    async (parameters) => {
      const outcome = await run(...parameters)
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
      for (const { name, summary } of COMMANDS) {
        expect(outcome.stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
      }
    },
  )

  test.each(COMMANDS)('help $name and $name --help are the same', async ({ name, details }) => {
    const [helped, asked] = await Promise.all([run('help', name), run(name, '--help')])
    expect(helped).toMatchObject({ exitCode: 0, stderr: '' })
    expect(helped.stdout).toContain(details)
    expect(asked).toEqual(helped)
  })
})

describe('version needs no setting', () => {
  test.each([[['version']], [['--version']]])('%j prints it', async (parameters) => {
    expect(await run(...parameters)).toEqual({
      exitCode: 0,
      stdout: `alibi ${packageJson.version}\n`,
      stderr: '',
    })
  })

  test('version --json prints it as JSON', async () => {
    const outcome = await run('version', '--json')
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(outcome.stdout)).toEqual({
      name: 'alibi',
      version: packageJson.version,
      // The copy that the tests build is no repository.
      commit: 'unknown',
      bun: packageJson.devDependencies.bun,
    })
  })
})

test('what is compiled where the repository does not answer says that its commit is not known', async () => {
  const sources = copySources()
  // Whether git is missing, or refuses another user's folder.
  writeFileSync(join(sources, '.git'), 'gitdir: nowhere')
  const compiled = join(sources, 'alibi')
  const { PATH = '' } = process.env
  expect(
    await runAlibi({
      command: ['sh', 'release/compile.sh', compiled],
      cwd: sources,
      env: { PATH },
    }),
  ).toMatchObject({ exitCode: 0 })
  const { stdout } = await runAlibi({ command: [compiled, 'version', '--json'], cwd: sources })
  expect(JSON.parse(stdout).commit).toBe('unknown')
  rmSync(sources, { recursive: true })
})

test('completion prints a script that bash takes, without a setting', async () => {
  const printed = await run('completion', 'bash')
  expect(printed).toMatchObject({ exitCode: 0, stderr: '' })
  const asked = `${printed.stdout}COMP_WORDS=(alibi help comp) COMP_CWORD=2; _alibi; echo "$COMPREPLY"`
  const bash = await runAlibi({ command: ['bash', '-c', asked], cwd: production.folder })
  expect(bash).toEqual({ exitCode: 0, stdout: 'completion\n', stderr: '' })
})

test('what is wrong in a settings file is said with its name and its line', async () => {
  const file = join(production.folder, 'wrong.env')
  writeFileSync(file, 'PORT=1\nsk_live_pasted_alone\n')
  const outcome = await run('serve', '--env-file', file)
  expect(outcome).toEqual({
    exitCode: 78,
    stdout: '',
    stderr: `alibi: --env-file: ${file}, line 2: must be KEY=VALUE\n`,
  })
})

test('an address that is none of this machine is said with the settings that name it', async () => {
  // RFC 5737 keeps it for documentation.
  const env = { ...production.settings, HOST: '192.0.2.1', PORT: '8123' }
  const outcome = await production.run(['serve'], env)
  expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
  expect(outcome.stderr).toMatch(
    /^alibi: HOST, PORT: 192\.0\.2\.1 port 8123 cannot be listened on: .+\n$/,
  )
})

describe('migrate', () => {
  test('makes the database once, and then finds it up to date', async () => {
    await using own = await openProduction()
    const env = { DATABASE_URL: own.settings.DATABASE_URL }
    const first = await own.run(['migrate'], env)
    const applied = MIGRATIONS.map(({ name }) => `Applied ${name} to ${own.databasePath}.\n`).join(
      '',
    )
    expect(first).toEqual({ exitCode: 0, stdout: applied, stderr: '' })
    expect(await own.run(['migrate'], env)).toEqual({
      exitCode: 0,
      stdout: `The database ${own.databasePath} is up to date at ${NEWEST}.\n`,
      stderr: '',
    })
    expect(readdirSync(own.state)).toEqual(['alibi.db'])
  })

  test('says the same in JSON', async () => {
    await using own = await openProduction()
    const env = { DATABASE_URL: own.settings.DATABASE_URL }
    const names = MIGRATIONS.map(({ name }) => name)
    const first = await own.run(['migrate', '--json'], env)
    const second = await own.run(['migrate', '--json'], env)
    expect([first.exitCode, second.exitCode]).toEqual([0, 0])
    const report = { database: own.databasePath, version: NEWEST, copy: null }
    expect(JSON.parse(first.stdout)).toEqual({ ...report, applied: names })
    expect(JSON.parse(second.stdout)).toEqual({ ...report, applied: [] })
  })

  test('leaves a service that is running in peace', async () => {
    await using own = await openProduction()
    const alibi = await own.start()
    expect(await own.run(['migrate'])).toMatchObject({ exitCode: 0 })
    expect((await client(alibi.url).get('/ready')).status).toBe(200)
  })
})

test('healthcheck exits with 0 while the service runs, and with 1 when it has stopped', async () => {
  await using own = await openProduction()
  const alibi = await own.start()
  const { port } = new URL(alibi.url)
  const running = await own.run(['healthcheck'], { PORT: port })
  expect(running).toEqual({ exitCode: 0, stdout: `ready: ${alibi.url}/ready\n`, stderr: '' })

  await alibi.stop()
  const stopped = await own.run(['healthcheck'], { PORT: port })
  expect(stopped).toMatchObject({ exitCode: 1, stderr: '' })
  expect(stopped.stdout).toStartWith(`not ready: ${alibi.url}/ready did not answer`)
})

test('openapi prints what GET /openapi.json answers but for its address, without a setting', async () => {
  await using own = await openProduction()
  const alibi = await own.start()
  const printed = await own.run(['openapi'], {})
  expect(printed).toMatchObject({ exitCode: 0, stderr: '' })
  const { servers, ...described } = JSON.parse(printed.stdout)
  const answered = (await client(alibi.url).get('/openapi.json')).body
  expect(answered).toMatchObject({ servers: [{ url: production.settings.PUBLIC_URL }] })
  expect({ ...answered, servers }).toEqual({ ...described, servers: [{ url: '/' }] })
})
