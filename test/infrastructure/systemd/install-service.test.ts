import { beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { draftPrefix } from '../../../infrastructure/files/drafts.ts'
import { installService } from '../../../infrastructure/systemd/install-service.ts'
import { PLACES, unitText } from '../../../infrastructure/systemd/installed-files.ts'
import { placeText } from '../../../infrastructure/systemd/place-file.ts'
import {
  isServiceInstalled,
  uninstallService,
} from '../../../infrastructure/systemd/uninstall-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Beyond the numbers that Linux gives. */
const NO_PROCESS = 99_999_999

let folder: string
let root: string
let executable: string
beforeEach(() => {
  folder = temporaryFolder()
  root = join(folder, 'root')
  mkdirSync(root)
  executable = join(folder, 'alibi')
  writeFileSync(executable, 'version 1')
})

const at = (path: string) => join(root, path)
const draftOf = (path: string, pid: number) => join(dirname(at(path)), `${draftPrefix(path)}${pid}`)
const install = (systemctl: ReturnType<typeof fakeSystemctl>['systemctl'] | null = null) =>
  installService({ root, executable, completion: '# completion', systemctl })

/** A systemd that knows the unit as soon as its file is there, and keeps the commands that it got. */
function fakeSystemctl({ active = 'inactive', failing = '', shown = '' } = {}) {
  const told: string[] = []
  async function systemctl(...parameters: readonly string[]): Promise<string> {
    const [verb = ''] = parameters
    if (verb !== 'show') told.push(parameters.join(' '))
    if (verb === failing) throw new Error(`systemctl ${verb} failed: it was told to`)
    if (verb === 'restart') active = 'active'
    const state = existsSync(at(PLACES.unit)) ? 'loaded' : 'not-found'
    return `LoadState=${state}\nActiveState=${active}\nSubState=some\n${shown}`
  }
  return { systemctl, told }
}

/** Every file below the root with its mode and what identifies it. */
function census(): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    paths
      .filter((path) => !statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory())
      .map((path) => {
        const { ino, mtimeMs, mode } = statSync(join(root, path), { throwIfNoEntry: false }) ?? {}
        return [path, `${ino} ${mtimeMs} ${mode}`]
      }),
  )
}

describe('an installation', () => {
  test('puts every file in its place, and says so', async () => {
    const { files, enabled, restarted, service } = await install()
    expect(files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'created /usr/local/bin/alibi',
      'created /usr/local/share/bash-completion/completions/alibi',
      'created /etc/alibi/credentials/JWT_SECRET',
      'created /etc/alibi/credentials/JWT_SECRET_PREVIOUS',
      'created /etc/alibi/credentials/STRIPE_SECRET_KEY',
      'created /etc/alibi/credentials/STRIPE_WEBHOOK_SECRET',
      'created /etc/alibi/credentials/RESEND_API_KEY',
      'created /etc/alibi/credentials/SMTP_URL',
      'created /etc/alibi/credentials/DATABASE_URL',
      'created /etc/alibi/alibi.env',
      'created /etc/systemd/system/alibi.service',
    ])
    expect({ enabled, restarted, service }).toEqual({
      enabled: true,
      restarted: false,
      service: null,
    })
    expect(readFileSync(at(PLACES.executable), 'utf8')).toBe('version 1')
    expect(readFileSync(at(PLACES.unit), 'utf8')).toBe(unitText([]))
    expect(readlinkSync(at(PLACES.enabled))).toBe(PLACES.unit)
  })

  test('a second time changes no file, and sends systemd no command', async () => {
    await install()
    const before = census()
    const { systemctl, told } = fakeSystemctl({ active: 'active' })
    const { files, enabled, restarted } = await install(systemctl)
    expect(census()).toEqual(before)
    expect(files.filter(({ change }) => change !== 'unchanged' && change !== 'kept')).toEqual([])
    expect({ enabled, restarted, told }).toEqual({ enabled: false, restarted: false, told: [] })
  })

  test('replaces what is ours, and leaves alone what the operator has written', async () => {
    await install()
    const secret = readFileSync(at(`${PLACES.credentials}/JWT_SECRET`), 'utf8')
    for (const path of [PLACES.unit, PLACES.completion, PLACES.settings])
      writeFileSync(at(path), 'x')
    rmSync(at(`${PLACES.credentials}/RESEND_API_KEY`))
    const { files } = await install()
    const changes = new Map(files.map(({ path, change }) => [path, change] as const))
    expect(changes.get(PLACES.unit)).toBe('replaced')
    expect(changes.get(PLACES.completion)).toBe('replaced')
    expect(changes.get(PLACES.settings)).toBe('kept')
    expect(readFileSync(at(PLACES.settings), 'utf8')).toBe('x')
    expect(readFileSync(at(`${PLACES.credentials}/JWT_SECRET`), 'utf8')).toBe(secret)
    expect(readFileSync(at(`${PLACES.credentials}/RESEND_API_KEY`), 'utf8')).toBe('')
  })

  test('does not make up a JWT_SECRET that was lost', async () => {
    await install()
    rmSync(at(`${PLACES.credentials}/JWT_SECRET`))
    await install()
    expect(readFileSync(at(`${PLACES.credentials}/JWT_SECRET`), 'utf8')).toBe('')
  })

  test('of another executable keeps the one before, and none older', async () => {
    for (const version of [1, 2, 3]) {
      writeFileSync(executable, `version ${version}`)
      await install()
    }
    expect(readFileSync(at(PLACES.executable), 'utf8')).toBe('version 3')
    expect(readFileSync(at(PLACES.previous), 'utf8')).toBe('version 2')
    expect(readdirSync(dirname(at(PLACES.executable))).toSorted()).toEqual([
      'alibi',
      'alibi.previous',
    ])
  })

  test('by the installed executable itself leaves it alone', async () => {
    await install()
    executable = at(PLACES.executable)
    const { files } = await install()
    expect(files[0]).toEqual({ path: PLACES.executable, change: 'unchanged' })
    expect(existsSync(at(PLACES.previous))).toBe(false)
  })

  test('takes away what an earlier one was interrupted at', async () => {
    await install()
    writeFileSync(executable, 'version 2')
    for (const path of [PLACES.executable, PLACES.previous, PLACES.unit]) {
      writeFileSync(draftOf(path, NO_PROCESS), 'half a file')
    }
    writeFileSync(at(PLACES.unit), 'x')
    await install()
    expect(readFileSync(at(PLACES.executable), 'utf8')).toBe('version 2')
    expect(Object.keys(census()).filter((path) => path.includes('draft'))).toEqual([])
  })

  test('takes that away also where there is nothing to change', async () => {
    await install()
    writeFileSync(draftOf(PLACES.executable, NO_PROCESS), 'half a file')
    await install()
    expect(readdirSync(dirname(at(PLACES.executable)))).toEqual(['alibi'])
  })

  test('leaves alone what another one is writing at the same time', async () => {
    mkdirSync(dirname(at(PLACES.executable)), { recursive: true })
    const draft = draftOf(PLACES.executable, process.ppid)
    writeFileSync(draft, 'half a file')
    await install()
    expect(readFileSync(draft, 'utf8')).toBe('half a file')
  })

  test.each(['alibi.env', 'RESEND_API_KEY'])(
    'that was interrupted before %s still ends in a service with a JWT_SECRET that starts with the machine',
    async (name) => {
      const { files } = await install()
      const place = files.findIndex(({ path }) => path.endsWith(`/${name}`))
      for (const { path } of files.slice(place)) rmSync(at(path))
      rmSync(at(PLACES.enabled))
      expect(await install()).toMatchObject({ enabled: true })
      expect(readFileSync(at(`${PLACES.credentials}/JWT_SECRET`), 'utf8')).toHaveLength(45)
    },
  )

  test('never overwrites what an operator writes meanwhile', async () => {
    const path = at(PLACES.settings)
    mkdirSync(dirname(path), { recursive: true })
    const file = { text: 'ours', mode: 0o600, owner: 'operator' } as const
    // A check that follows links does not see it, like a file that appears right after the check.
    symlinkSync('nowhere', path)
    expect(placeText(path, file)).toBe('kept')
    expect(readlinkSync(path)).toBe('nowhere')
  })

  test.each([
    ['the executable', PLACES.executable],
    ['the unit', PLACES.unit],
  ])('that cannot write %s names it, and leaves nothing half done', async (_, path) => {
    mkdirSync(at(path), { recursive: true })
    await expect(install()).rejects.toThrow(at(path))
    expect(readdirSync(dirname(at(path))).filter((name) => name.includes('draft'))).toEqual([])
  })

  test('into no folder is refused before anything is made', async () => {
    rmSync(root, { recursive: true })
    await expect(install()).rejects.toThrow(`--root: ${root} must be a folder`)
    expect(existsSync(root)).toBe(false)
  })
})

describe('whatever was there before,', () => {
  const modeOf = (path: string) => (statSync(at(path)).mode & 0o7777).toString(8)

  test('every user may run the executable, and only root may change it', async () => {
    chmodSync(executable, 0o4700)
    await install()
    expect(modeOf(PLACES.executable)).toBe('755')
    chmodSync(at(PLACES.executable), 0o777)
    const { files } = await install()
    expect(files[0]).toEqual({ path: PLACES.executable, change: 'mended' })
    expect(modeOf(PLACES.executable)).toBe('755')
    expect(existsSync(at(PLACES.previous))).toBe(false)
  })

  test('every user may read the unit, and only root may change it', async () => {
    await install()
    chmodSync(at(PLACES.unit), 0o666)
    const { files } = await install()
    expect(files).toContainEqual({ path: PLACES.unit, change: 'mended' })
    expect(modeOf(PLACES.unit)).toBe('644')
  })

  test('others neither read nor change settings and secrets, which a group of readers still may', async () => {
    await install()
    const secret = `${PLACES.credentials}/JWT_SECRET`
    const text = readFileSync(at(secret), 'utf8')
    chmodSync(at(PLACES.credentials), 0o755)
    chmodSync(at(secret), 0o664)
    chmodSync(at(PLACES.settings), 0o640)
    const { files } = await install()
    expect(files).toContainEqual({ path: secret, change: 'mended' })
    expect(files).toContainEqual({ path: PLACES.settings, change: 'kept' })
    expect([PLACES.credentials, secret, PLACES.settings].map(modeOf)).toEqual(['750', '640', '640'])
    expect(readFileSync(at(secret), 'utf8')).toBe(text)
  })

  test.each([PLACES.credentials, '/etc/alibi', '/usr/local/bin'])(
    'nothing is put below %s while anybody may write there',
    async (path) => {
      mkdirSync(at(path), { recursive: true })
      chmodSync(at(path), 0o777)
      await expect(install()).rejects.toThrow(`anybody may write to ${at(path)}`)
      expect(readdirSync(at(path))).toEqual([])
    },
  )

  test('nothing is put into the folder of a stranger', async () => {
    if (process.geteuid?.() !== 0) {
      process.stdout.write('not tested here: folders of strangers (needs root)\n')
      return
    }
    mkdirSync(at(PLACES.credentials), { recursive: true })
    chownSync(at(PLACES.credentials), 65534, 65534)
    await expect(install()).rejects.toThrow(`${at(PLACES.credentials)} belongs to user 65534`)
    expect(readdirSync(at(PLACES.credentials))).toEqual([])
  })

  test('an image of its owner is its owner’s', async () => {
    if (process.geteuid?.() !== 0) {
      process.stdout.write('not tested here: images of others (needs root)\n')
      return
    }
    mkdirSync(at('/etc'))
    for (const path of ['/', '/etc']) chownSync(at(path), 65534, 65534)
    expect(await install()).toMatchObject({ enabled: true })
  })

  test.each([
    ['/etc', ''],
    ['/usr/local', 'deeper/local'],
    // Its path begins as that of the image does.
    ['/etc', '../root-beside'],
  ])('nothing is written out of the image through a link at %s', async (path, within) => {
    const outside = join(folder, 'outside')
    mkdirSync(join(outside, within), { recursive: true })
    mkdirSync(dirname(at(path)), { recursive: true })
    symlinkSync(join(outside, within), at(path))
    await expect(install()).rejects.toThrow(`${at(path)} leads out of ${root}`)
    expect(readdirSync(join(outside, within))).toEqual([])
  })

  test('links within the image are followed', async () => {
    mkdirSync(at('/var/usrlocal'), { recursive: true })
    mkdirSync(at('/usr'))
    symlinkSync('../var/usrlocal', at('/usr/local'))
    await install()
    expect(existsSync(at('/var/usrlocal/bin/alibi'))).toBe(true)
  })

  test('a link in the place of what is ours is replaced rather than followed', async () => {
    const outside = join(folder, 'outside')
    writeFileSync(outside, 'theirs')
    for (const path of [PLACES.unit, PLACES.completion]) {
      mkdirSync(dirname(at(path)), { recursive: true })
      symlinkSync(outside, at(path))
    }
    await install()
    expect(readFileSync(outside, 'utf8')).toBe('theirs')
    expect(lstatSync(at(PLACES.unit)).isSymbolicLink()).toBe(false)
  })

  test('a file in the place of a folder is named', async () => {
    writeFileSync(at('/etc'), '')
    await expect(install()).rejects.toThrow(`${at('/etc')} is no folder`)
  })
})

describe('systemd gets the command', () => {
  test('the first time to read the unit and to start it with the machine, but not to start it now', async () => {
    const { systemctl, told } = fakeSystemctl()
    const { enabled, restarted, service } = await install(systemctl)
    expect(told).toEqual(['daemon-reload', 'enable alibi.service'])
    expect({ enabled, restarted }).toEqual({ enabled: true, restarted: false })
    expect(service).toMatchObject({ installed: true, active: false })
  })

  test('to restart a running service, when the executable is another one', async () => {
    await install()
    writeFileSync(executable, 'version 2')
    const { systemctl, told } = fakeSystemctl({ active: 'active' })
    expect(await install(systemctl)).toMatchObject({ restarted: true, enabled: false })
    expect(told).toEqual(['daemon-reload', 'restart alibi.service'])
  })

  test('to reload and restart after an interrupted installation', async () => {
    await install()
    const { systemctl, told } = fakeSystemctl({ active: 'active', shown: 'NeedDaemonReload=yes' })
    expect(await install(systemctl)).toMatchObject({ restarted: true })
    expect(told).toEqual(['daemon-reload', 'restart alibi.service'])
  })

  test('nothing of a completion that has changed', async () => {
    await install()
    writeFileSync(at(PLACES.completion), 'x')
    const { systemctl, told } = fakeSystemctl({ active: 'active' })
    expect(await install(systemctl)).toMatchObject({ restarted: false })
    expect(told).toEqual([])
  })

  test('to restart a service that tries to start, and the state afterwards is reported', async () => {
    await install()
    writeFileSync(executable, 'version 2')
    const { systemctl } = fakeSystemctl({ active: 'activating' })
    expect(await install(systemctl)).toMatchObject({ restarted: true, service: { active: true } })
  })

  test('to restart a service that still runs from the previous executable, and nothing else', async () => {
    executable = Bun.which('sleep') ?? ''
    await install()
    await using child = Bun.spawn([at(PLACES.executable), '3600'])
    for (const [pid, restarted] of [
      [child.pid, false],
      [process.pid, true],
    ]) {
      const { systemctl } = fakeSystemctl({ active: 'active', shown: `MainPID=${pid}` })
      expect(await install(systemctl)).toMatchObject({ restarted })
    }
    child.kill()
  })

  test('no way back to an executable that was not replaced', async () => {
    await install()
    writeFileSync(at(PLACES.unit), 'x')
    const { systemctl } = fakeSystemctl({ active: 'active', failing: 'restart' })
    const problem = await install(systemctl).catch(String)
    expect(problem).toContain('journalctl -u alibi')
    expect(problem).not.toContain('mv ')
  })

  test('that what does not start after an upgrade can be taken back, and how', async () => {
    await install()
    writeFileSync(executable, 'version 2')
    const { systemctl } = fakeSystemctl({ active: 'active', failing: 'restart' })
    await expect(install(systemctl)).rejects.toThrow(`mv ${PLACES.previous} ${PLACES.executable}`)
  })

  test.each(['inactive', 'failed'])(
    'to read the unit of a service that is %s, and not to start it',
    async (active) => {
      await install()
      writeFileSync(executable, 'version 2')
      const { systemctl, told } = fakeSystemctl({ active })
      expect(await install(systemctl)).toMatchObject({ restarted: false, enabled: false })
      expect(told).toEqual(['daemon-reload'])
    },
  )
})

describe('a removal', () => {
  test('takes away what is ours, keeps what is the operator’s, and may be repeated', async () => {
    await install()
    writeFileSync(executable, 'version 2')
    await install()
    mkdirSync(at(PLACES.data), { recursive: true })
    mkdirSync(at(`${PLACES.unit}.d`))
    expect(isServiceInstalled(root)).toBe(true)
    expect(await uninstallService({ root, systemctl: null })).toEqual({
      removed: [PLACES.enabled, PLACES.unit, PLACES.completion, PLACES.executable, PLACES.previous],
      kept: ['/etc/alibi', `${PLACES.unit}.d`, PLACES.data],
    })
    expect(isServiceInstalled(root)).toBe(false)
    expect(Object.keys(census()).filter((path) => !path.startsWith('etc/alibi/'))).toEqual([])
    expect(await uninstallService({ root, systemctl: null })).toMatchObject({ removed: [] })
  })

  test('stops the service first, and leaves everything in place when it does not stop', async () => {
    await install()
    const { systemctl, told } = fakeSystemctl({ active: 'active', failing: 'disable' })
    await expect(uninstallService({ root, systemctl })).rejects.toThrow('disable')
    expect(told).toEqual(['disable --now alibi.service'])
    expect(isServiceInstalled(root)).toBe(true)
  })

  test('stops also what runs without its unit', async () => {
    await install()
    rmSync(at(PLACES.unit))
    const { systemctl, told } = fakeSystemctl({ active: 'active' })
    await uninstallService({ root, systemctl })
    expect(told).toEqual(['stop alibi.service', 'daemon-reload'])
    expect(isServiceInstalled(root)).toBe(false)
  })

  test('takes away what an interrupted installation has left', async () => {
    await install()
    writeFileSync(draftOf(PLACES.executable, NO_PROCESS), 'half a file')
    await uninstallService({ root, systemctl: null })
    expect(readdirSync(dirname(at(PLACES.executable)))).toEqual([])
  })

  test('makes systemd forget the service, a failure of it too', async () => {
    await install()
    const { systemctl, told } = fakeSystemctl({ active: 'failed' })
    await uninstallService({ root, systemctl })
    expect(told).toEqual([
      'disable --now alibi.service',
      'reset-failed alibi.service',
      'daemon-reload',
    ])
  })
})
