import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../interfaces/cli/commands/command-table.ts'
import packageJson from '../../package.json'
import { billOfMaterials } from '../../release/bill-of-materials.ts'
import { helpText } from '../../release/help-text.ts'
import { licenses } from '../../release/licenses.ts'
import { builtExecutable, copySources } from '../support/executable/built.ts'
import { runAlibi } from '../support/service/alibi-process.ts'
import { makeKey, SSH_KEYGEN } from '../support/ssh-keys.ts'

const OWN = process.arch === 'arm64' ? 'arm64' : 'x64'
const NAME = `alibi-${packageJson.version}-linux`
/** What an ELF file says of the machine it is for, and the program that loads it. */
const EXECUTABLES = {
  [`${NAME}-arm64`]: { machine: 183, loader: '/lib/ld-linux-aarch64.so.1' },
  [`${NAME}-arm64-musl`]: { machine: 183, loader: '/lib/ld-musl-aarch64.so.1' },
  [`${NAME}-x64`]: { machine: 62, loader: '/lib64/ld-linux-x86-64.so.2' },
  [`${NAME}-x64-musl`]: { machine: 62, loader: '/lib/ld-musl-x86_64.so.1' },
} as const
const COULD_NOT_FETCH = 69

/** Half a gigabyte is written and read. */

let executable: string
/** Null where the runtimes of other machines are out of reach. */
let dist: string | null
let folder: string
/** The one that the release is signed with; null where nothing can sign. */
let key: string | null
beforeAll(async () => {
  executable = await builtExecutable()
  folder = copySources()
  key = SSH_KEYGEN === null ? null : makeKey('release-key', { folder })
  const { PATH = '', HOME = '' } = process.env
  const outcome = await runAlibi({
    command: ['sh', 'release/release.sh', ...(key === null ? [] : ['--sign-with', key])],
    cwd: folder,
    env: { PATH, HOME },
  })
  dist = outcome.exitCode === COULD_NOT_FETCH ? null : join(folder, 'dist')
  // Before the last line stands all that bun says.
  const reason = outcome.stderr.trim().split('\n').at(-1)
  if (dist === null) process.stdout.write(`not tested here: a release (${reason})\n`)
  else expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
})
afterAll(() => rmSync(folder, { recursive: true }))

function released(name: string): Buffer {
  return readFileSync(join(dist ?? '', name))
}

/** Every file below the folder, as SHA256SUMS writes it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted()
}

describe('a release', () => {
  test('has an executable for each kind of machine, and all that goes with it', () => {
    if (dist === null) return
    const names = filesBelow(dist).filter((name) => !/^(?:docs|operations)\//.test(name))
    expect(names).toEqual(
      [
        ...Object.keys(EXECUTABLES),
        'LICENSES.txt',
        'README.md',
        'SHA256SUMS',
        ...(key === null ? [] : ['SHA256SUMS.sig']),
        'help.txt',
        'install.sh',
        'sbom.cdx.json',
      ].toSorted(),
    )
    const documents = readdirSync(join(import.meta.dir, '../../docs'))
    expect(readdirSync(join(dist, 'docs')).toSorted()).toEqual(documents.toSorted())
    const operations = readdirSync(join(import.meta.dir, '../../operations'))
    expect(readdirSync(join(dist, 'operations')).toSorted()).toEqual(
      operations.filter((name) => name !== 'install.sh').toSorted(),
    )
    for (const name of [...Object.keys(EXECUTABLES), 'install.sh']) {
      expect(statSync(join(dist, name)).mode & 0o777).toBe(0o755)
    }
  })

  test.each(Object.entries(EXECUTABLES))('%s is for that machine', (name, { machine, loader }) => {
    if (dist === null) return
    const bytes = released(name)
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('\x7fELF\x02')
    expect(bytes.readUInt16LE(18)).toBe(machine)
    expect(bytes.subarray(0, 4096).toString('latin1')).toContain(`${loader}\0`)
    // The pinned runtime, and the version that is released.
    expect(bytes.includes(`Bun/${packageJson.devDependencies.bun}`)).toBe(true)
  })

  test('has the same bytes when it is made in another folder', () => {
    if (dist === null) return
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(digest(released(`${NAME}-${OWN}`))).toBe(digest(readFileSync(executable)))
  })

  test('has a checksum for every file but that of the checksums and its signature, and they are right', async () => {
    if (dist === null) return
    const named = released('SHA256SUMS').toString().trimEnd().split('\n')
    expect(named.map((line) => line.slice(66))).toEqual(
      filesBelow(dist).filter((name) => !name.startsWith('SHA256SUMS')),
    )
    const command = ['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS']
    const env = { PATH: process.env['PATH'] ?? '' }
    expect(await runAlibi({ command, cwd: dist, env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('has help, licences and a bill of materials of these sources', () => {
    if (dist === null) return
    expect(released('help.txt').toString()).toBe(`${helpText()}\n`)
    expect(released('LICENSES.txt').toString()).toBe(`${licenses()}\n`)
    expect(JSON.parse(released('sbom.cdx.json').toString())).toEqual(billOfMaterials())
  })
})

describe('the install script of a release', () => {
  async function install(...parameters: string[]) {
    const { PATH = '' } = process.env
    const command = ['sh', join(dist ?? '', 'install.sh'), ...parameters]
    return runAlibi({ command, cwd: folder, env: { PATH } })
  }

  test('installs what was released on an image, and takes it away again', async () => {
    if (dist === null) return
    const image = join(folder, 'image')
    mkdirSync(image)
    const publicKey = key === null ? [] : ['--public-key', `${key}.pub`]
    const first = await install('--root', 'image', ...publicKey)
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    const installed = join(image, 'usr/local/bin/alibi')
    expect(readFileSync(installed).equals(readFileSync(executable))).toBe(true)
    expect(existsSync(join(image, 'etc/systemd/system/alibi.service'))).toBe(true)

    // An upgrade to the same is none.
    const again = await install('--root', image)
    expect(again).toMatchObject({ exitCode: 0, stderr: '' })
    expect(again.stdout).toContain(`alibi ${packageJson.version} is installed`)

    const gone = await install('--uninstall', '--yes', '--root', image)
    expect(gone).toMatchObject({ exitCode: 0, stderr: '' })
    expect(existsSync(installed)).toBe(false)
    expect(existsSync(join(image, 'etc/alibi/alibi.env'))).toBe(true)
  })

  test('installs nothing when a byte of the executable is another one', async () => {
    if (dist === null) return
    const name = `${NAME}-${OWN}`
    const bytes = released(name)
    const middle = bytes.length >> 1
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    // Written anew: what was running may not be written to.
    rmSync(join(dist, name))
    writeFileSync(join(dist, name), bytes)
    const image = join(folder, 'untouched')
    mkdirSync(image)
    const outcome = await install('--root', image)
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
    expect(outcome.stderr).toContain(`${name}: FAILED`)
    expect(readdirSync(image)).toEqual([])
  })
})

test('the help of a release is what the executable says', async () => {
  const text = helpText()
  for (const { name } of COMMANDS) {
    const { stdout } = await runAlibi({ command: [executable, 'help', name], cwd: '/' })
    expect(text).toContain(stdout.trimEnd())
  }
})

describe('the bill of materials', () => {
  const { components, dependencies, metadata } = JSON.parse(
    JSON.stringify(billOfMaterials()),
  ) as ReturnType<typeof billOfMaterials>

  test('has every package that the bundler puts into the executable', async () => {
    const command = [process.execPath, 'build', 'interfaces/main.ts', '--target=bun', '--splitting']
    const outdir = join(folder, 'bundle')
    const metafile = join(outdir, 'metafile.json')
    const cwd = join(import.meta.dir, '../..')
    const options = ['--outdir', outdir, `--metafile=${metafile}`]
    expect(await runAlibi({ command: [...command, ...options], cwd })).toMatchObject({
      exitCode: 0,
    })

    const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as { inputs: object }
    const bundled = Object.keys(inputs).flatMap(
      (file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
    )
    expect(new Set(bundled).size).toBeGreaterThan(10)
    const named = new Set(components.map(({ purl }) => purl.replace('%40', '@')))
    for (const name of new Set(bundled)) {
      const { version } = await Bun.file(join(cwd, 'node_modules', name, 'package.json')).json()
      expect(named).toContain(`pkg:npm/${name}@${version}`)
    }
  })

  test('has what the project depends on, the runtime, and nothing that only builds or tests', () => {
    const names = components.map(({ purl }) =>
      /^pkg:npm\/(.+)@/.exec(purl)?.[1]?.replace('%40', '@'),
    )
    expect(names).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)))
    const tools = Object.keys(packageJson.devDependencies).filter((name) => names.includes(name))
    expect(tools).toEqual(['bun'])
    expect(metadata.component).toMatchObject({ name: 'alibi', version: packageJson.version })
  })

  test('says of each component its version, license and checksum, and what it needs', () => {
    const references = new Set([
      metadata.component['bom-ref'],
      ...components.map((one) => one.purl),
    ])
    for (const {
      version,
      licenses: [license],
      hashes,
    } of components) {
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      expect(JSON.stringify(license)).toMatch(/"(?:id|expression)":"[A-Z]/)
      expect(hashes).toEqual([
        { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) },
      ])
    }
    expect(new Set(dependencies.map(({ ref }) => ref))).toEqual(references)
    for (const { dependsOn } of dependencies) {
      for (const needed of dependsOn) expect(references).toContain(needed)
    }
  })

  test('knows the database inside the runtime, too', () => {
    const database = new Database(':memory:')
    const [row] = database.query<{ version: string }, []>('SELECT sqlite_version() version').all()
    const parts = components.flatMap((one) => ('components' in one ? one.components : []))
    expect(parts).toContainEqual(expect.objectContaining({ name: 'sqlite', version: row?.version }))
    database.close()
  })
})
