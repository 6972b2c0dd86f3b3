import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './support/temporary-folder.ts'
import {
  EXECUTABLE,
  installUnpacked as install,
  OWN,
  SHOW_CALL,
  unpackRelease as unpack,
} from './support/unpacked-release.ts'

/*
 * The install script beside an executable that only writes down how it was called. The script refuses machines of other
 * kinds by what `uname` says, so that a uname of the tests plays them.
 */

/** An environment in which `uname -s` and `uname -m` say this. */
function onMachine(system: string, machine: string) {
  const folder = temporaryFolder()
  const uname = `#!/bin/sh\n[ "$1" = -s ] && echo ${system} || echo ${machine}\n`
  writeFileSync(join(folder, 'uname'), uname)
  chmodSync(join(folder, 'uname'), 0o755)
  return { PATH: `${folder}:${process.env['PATH']}` }
}

describe('install.sh', () => {
  test('lets the executable for this machine install itself, and names the examples', async () => {
    const outcome = await install(unpack())
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '', called: 'service install' })
    expect(outcome.stdout).toContain('operations/Caddyfile')
  })

  test('needs only what is for this machine', async () => {
    const folder = unpack((own) => {
      rmSync(join(own, 'operations'), { recursive: true })
      writeFileSync(join(own, 'alibi-9.8.7-linux-of-another-machine'), 'half of it')
    })
    expect(await install(folder)).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('works on an image, named from wherever it is started', async () => {
    const folder = unpack()
    mkdirSync(join(folder, '../an image'))
    const outcome = await install(folder, ['--root', 'an image'])
    const image = join(folder, '../an image')
    expect(outcome).toMatchObject({ exitCode: 0, called: `service install --root ${image}` })
  })

  test.each([
    [['--uninstall'], 'service uninstall'],
    [['--uninstall', '--yes'], 'service uninstall --yes'],
    [['--yes', '--uninstall', '--root', '/'], 'service uninstall --root / --yes'],
  ])('passes %j on', async (parameters, called) => {
    const outcome = await install(unpack(), parameters)
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '', called })
  })

  test('passes the exit code on, and says nothing after a failure', async () => {
    const outcome = await install(unpack(), [], { ALIBI_EXITS_WITH: '3' })
    expect(outcome).toMatchObject({ exitCode: 3, called: 'service install' })
    expect(outcome.stdout).not.toContain('Caddyfile')
  })

  test('is not led into another folder by CDPATH', async () => {
    const decoy = unpack()
    const outcome = await install(unpack(), [], { CDPATH: join(decoy, '..') })
    expect(outcome).toMatchObject({ exitCode: 0, called: 'service install' })
    expect(existsSync(join(decoy, 'called'))).toBe(false)
  })

  test('lets nothing in the environment tell the runtime inside what to do', async () => {
    const env = { BUN_OPTIONS: '--preload=evil.js', BUN_BE_BUN: '1' }
    expect((await install(unpack(), [], env)).stdout).toContain('options of the runtime: none none')
  })
})

describe('install.sh runs nothing', () => {
  const corrupt = (name: string) => (folder: string) => {
    writeFileSync(join(folder, name), `${readFileSync(join(folder, name))} `)
  }

  test.each<[string, (folder: string) => void, string]>([
    ['an executable that is not as released', corrupt(EXECUTABLE), `${EXECUTABLE}: FAILED`],
    ['a script that is not as released', corrupt('install.sh'), 'install.sh: FAILED'],
    [
      'anything else that is not as released',
      corrupt('operations/Caddyfile'),
      'operations/Caddyfile: FAILED',
    ],
    [
      'checksums that nobody can read',
      (folder) => writeFileSync(join(folder, 'SHA256SUMS'), 'nonsense\n', { flag: 'a' }),
      'improperly formatted',
    ],
    ['no checksums', (folder) => rmSync(join(folder, 'SHA256SUMS')), 'there is no SHA256SUMS'],
    [
      'checksums without the executable',
      (folder) => writeFileSync(join(folder, 'SHA256SUMS'), ''),
      `SHA256SUMS does not name ${EXECUTABLE}`,
    ],
    [
      'two releases in one folder',
      (folder) => writeFileSync(join(folder, `alibi-9.9.9-linux-${OWN}`), SHOW_CALL),
      'more than one Alibi',
    ],
    [
      'no executable',
      (folder) => rmSync(join(folder, EXECUTABLE)),
      `no alibi-VERSION-linux-${OWN} beside this script`,
    ],
  ])('with %s', async (_, spoil, problem) => {
    const outcome = await install(unpack(spoil))
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
    expect(outcome.stderr).toContain(problem)
    expect(outcome.stderr).toMatch(/^install\.sh: .+\n$/m)
  })

  test.each([
    ['Linux', 'riscv64', 'there is no Alibi for riscv64'],
    ['Linux', 'armv7l', 'there is no Alibi for armv7l'],
    ['Linux', 'i686', 'there is no Alibi for i686'],
    ['Darwin', 'arm64', 'Alibi runs on Linux, and this is Darwin'],
    // As on a system with musl: the loader of glibc for this kind of machine is not there.
    ['Linux', OWN === 'x64' ? 'aarch64' : 'x86_64', 'this system has no glibc'],
  ])('on %s %s', async (system, machine, problem) => {
    const outcome = await install(unpack(), [], onMachine(system, machine))
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
    expect(outcome.stderr).toContain(`install.sh: ${problem}`)
  })

  test.each([
    [['--force'], 'there is no option --force'],
    [['sk_live_secret'], 'it takes options only'],
    [['--root'], '--root needs a folder'],
    [['--root', ''], '--root needs a folder'],
    [['--yes'], '--yes goes with --uninstall'],
    [['--public-key'], '--public-key needs a file'],
  ])('when it is asked for %j', async (parameters, problem) => {
    const outcome = await install(unpack(), parameters)
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '', called: null })
    expect(outcome.stderr).toContain(problem)
    expect(outcome.stderr).not.toContain('sk_live')
  })

  test('when the folder of an image is not there', async () => {
    const outcome = await install(unpack(), ['--root', 'nowhere'])
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
    expect(outcome.stderr).toBe('install.sh: --root: nowhere is not a folder\n')
  })

  test('when it is asked for help', async () => {
    const outcome = await install(unpack(), ['--help'])
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '', called: null })
    expect(outcome.stdout).toContain('Usage: sh install.sh')
  })
})
