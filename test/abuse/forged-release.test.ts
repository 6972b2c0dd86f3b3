import { beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runAlibi } from '../support/service/alibi-process.ts'
import { makeKey, SSH_KEYGEN, sshKeygen } from '../support/ssh-keys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  EXECUTABLE,
  installUnpacked,
  SHOW_CALL,
  unpackRelease,
  writeSums,
} from '../support/unpacked-release.ts'

const SIGN = join(import.meta.dir, '../../release/sign.sh')
const RELEASE = join(import.meta.dir, '../../release/release.sh')
const EVIL = `${SHOW_CALL}# and something else\n`

const { PATH = '' } = process.env
const sign = (key: string, folder: string, cwd = dirname(key)) =>
  runAlibi({ command: ['sh', SIGN, key, folder], cwd, env: { PATH } })

if (SSH_KEYGEN !== null) testSignatures()

function testSignatures() {
  let key: string
  let folder: string
  beforeEach(async () => {
    key = makeKey('release')
    folder = unpackRelease()
    expect(await sign(key, folder)).toMatchObject({ exitCode: 0, stderr: '' })
  })
  const install = (publicKey = `${key}.pub`, env = {}) =>
    installUnpacked(folder, ['--public-key', publicKey], env)
  const overwrite = (name: string, text: string) => writeFileSync(join(folder, name), text)

  describe('a release that is signed', () => {
    test('is installed by whoever has the public key, and by whoever has none', async () => {
      const outcome = await install()
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '', called: 'service install' })
      expect(outcome.stdout).toContain(`What was run is signed with a key of ${key}.pub.`)
      expect(await installUnpacked(folder)).toMatchObject({ exitCode: 0, stderr: '' })
    })

    test('is installed with one of several keys, with comments, from a file with a blank in its name', async () => {
      const several = join(temporaryFolder(), 'all keys')
      const keys = [makeKey('older'), key].map((one) => readFileSync(`${one}.pub`, 'utf8'))
      writeFileSync(several, `# since 2026\n\n${keys.join('').replaceAll('\n', '\r\n')}`)
      expect(await install(several)).toMatchObject({ exitCode: 0, called: 'service install' })
    })

    test('can be checked by hand as its signing says', async () => {
      const { stdout } = await sign(key, folder)
      const steps = stdout
        .split('\n')
        .filter((line) => /^ {2}(?:echo|ssh-keygen|sha256sum) /.test(line))
      expect(steps).toHaveLength(3)
      expect(stdout).toContain(readFileSync(`${key}.pub`, 'utf8').trim())
      copyFileSync(`${key}.pub`, join(folder, 'alibi.pub'))
      const check = () =>
        runAlibi({ command: ['sh', '-ec', steps.join('\n')], cwd: folder, env: { PATH } })
      expect((await check()).exitCode).toBe(0)
      overwrite(EXECUTABLE, EVIL)
      expect((await check()).exitCode).not.toBe(0)
      writeSums(folder)
      expect((await check()).exitCode).not.toBe(0)
    })

    test('is signed with a key named from the folder around, or with what holds its public half, too', async () => {
      expect(await sign(`${key}.pub`, folder)).toMatchObject({ exitCode: 0 })
      expect(await install()).toMatchObject({ exitCode: 0 })
      const named = await sign(basename(key), folder, dirname(key))
      expect(named).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await install()).toMatchObject({ exitCode: 0 })
      const publicKey = join(temporaryFolder(), 'alibi.pub')
      copyFileSync(`${key}.pub`, publicKey)
      rmSync(`${key}.pub`)
      expect(await sign(key, folder)).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await install(publicKey)).toMatchObject({ exitCode: 0 })
    })
  })

  describe('with a public key nothing is run', () => {
    test.each<[string, () => void, string]>([
      [
        'of an executable that was changed',
        () => overwrite(EXECUTABLE, EVIL),
        `${EXECUTABLE}: FAILED`,
      ],
      [
        'of an executable that was changed along with its checksum',
        () => {
          overwrite(EXECUTABLE, EVIL)
          writeSums(folder)
        },
        'was not signed with a key of',
      ],
      [
        'of checksums with one more line',
        () => writeFileSync(join(folder, 'SHA256SUMS'), '\n', { flag: 'a' }),
        'was not signed with a key of',
      ],
      [
        'of a file whose name, as a pattern, fits the executable that was released',
        () => {
          rmSync(join(folder, EXECUTABLE))
          overwrite(EXECUTABLE.replace('9.8.7', '.*'), EVIL)
        },
        'SHA256SUMS does not name alibi-.*-linux-',
      ],
      ['without a signature', () => rmSync(join(folder, 'SHA256SUMS.sig')), 'is not signed'],
      ['with a signature that is none', () => overwrite('SHA256SUMS.sig', 'x\n'), 'was not signed'],
      ['with an empty signature', () => overwrite('SHA256SUMS.sig', ''), 'was not signed'],
      [
        'with a signature for another purpose',
        () => {
          rmSync(join(folder, 'SHA256SUMS.sig'))
          sshKeygen(['-q', '-Y', 'sign', '-f', key, '-n', 'git', join(folder, 'SHA256SUMS')])
        },
        'was not signed with a key of',
      ],
    ])('%s', async (_, spoil, problem) => {
      spoil()
      const outcome = await install()
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
      expect(outcome.stderr).toContain(problem)
      expect(outcome.stderr).toMatch(/^install\.sh: .+\n$/m)
    })

    test('that somebody else has signed', async () => {
      expect(await sign(makeKey('stranger'), folder)).toMatchObject({ exitCode: 0 })
      const outcome = await install()
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
      expect(outcome.stderr).toContain('was not signed with a key of')
    })

    test.each<[string, string, string]>([
      ['is empty', '', 'was not signed with a key of'],
      ['is no key', 'hello world\n', 'was not signed with a key of'],
      ['has options that widen it', 'release namespaces="*" ssh-ed25519 AAAA\n', 'was not signed'],
    ])('where its file %s', async (_, text, problem) => {
      const file = join(temporaryFolder(), 'key')
      writeFileSync(file, text)
      const outcome = await install(file)
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
      expect(outcome.stderr).toContain(problem)
    })

    test('where its file is not there, or is the private half', async () => {
      const missing = await install('nowhere.pub')
      expect(missing).toMatchObject({ exitCode: 1, stdout: '', called: null })
      expect(missing.stderr).toBe('install.sh: --public-key: nowhere.pub is not a file\n')
      const secret = await install(key)
      expect(secret).toMatchObject({ exitCode: 1, stdout: '', called: null })
      expect(secret.stderr).toContain('is a private key')
    })

    test('where there is no ssh-keygen', async () => {
      const tools = temporaryFolder()
      for (const name of ['sh', 'dirname', 'basename', 'uname', 'grep', 'sha256sum', 'chmod']) {
        symlinkSync(Bun.which(name) ?? '', join(tools, name))
      }
      const outcome = await install(`${key}.pub`, { PATH: tools })
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '', called: null })
      expect(outcome.stderr).toContain('there is no ssh-keygen')
    })

    test('when it is to be taken away, either', async () => {
      overwrite(EXECUTABLE, EVIL)
      writeSums(folder)
      const parameters = ['--uninstall', '--yes', '--public-key', `${key}.pub`]
      expect(await installUnpacked(folder, parameters)).toMatchObject({ exitCode: 1, called: null })
    })
  })

  describe('nothing is signed', () => {
    const signature = () => existsSync(join(folder, 'SHA256SUMS.sig'))

    test.each<[string, () => string]>([
      ['that is not there', () => join(folder, 'nowhere')],
      [
        'that is none',
        () => {
          overwrite('text', 'no key\n')
          return join(folder, 'text')
        },
      ],
      ['whose passphrase nobody types', () => makeKey('locked', { passphrase: 'a long secret' })],
      [
        'that others can read',
        () => {
          chmodSync(key, 0o644)
          return key
        },
      ],
      [
        'whose private half is elsewhere',
        () => {
          rmSync(key)
          return `${key}.pub`
        },
      ],
      [
        'that lies beside the public half of another',
        () => {
          copyFileSync(`${makeKey('other')}.pub`, `${key}.pub`)
          return key
        },
      ],
    ])('with a key %s, and an older signature is gone', async (_, spoil) => {
      const outcome = await sign(spoil(), folder)
      expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
      expect(outcome.stderr).toMatch(/^release\/sign\.sh: .+\n$/m)
      expect(signature()).toBe(false)
    })
  })

  test.each<[string, () => string[], number]>([
    ['a key that is not there', () => ['--sign-with', 'nowhere'], 1],
    ['a file that is no key', () => ['--sign-with', join(folder, EXECUTABLE)], 1],
    ['no key', () => ['--sign-with'], 2],
    ['an option that there is not', () => ['--sign', key], 2],
  ])('a release is not even built with %s', async (_, parameters, exitCode) => {
    const copy = temporaryFolder()
    const script = join(copy, 'release', 'release.sh')
    mkdirSync(join(copy, 'release'))
    copyFileSync(RELEASE, script)
    const outcome = await runAlibi({
      command: ['sh', script, ...parameters()],
      cwd: copy,
      env: { PATH },
    })
    expect(outcome).toMatchObject({ exitCode, stdout: '' })
    expect(outcome.stderr).toMatch(/^release\.sh: .+\n$/m)
    expect(existsSync(join(copy, 'dist'))).toBe(false)
  })
}
