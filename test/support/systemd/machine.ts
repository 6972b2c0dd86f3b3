import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { cachePath, isLeft, makeDraft, ownedName } from '../checkout-cache.ts'
import { until } from '../executable/until.ts'
import { PATIENCE_MS } from '../patience.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

/** Debian's releases: bookworm has systemd 252, trixie 257. */
const SUITE = process.env['SYSTEMD_SUITE'] ?? 'trixie'
const BOOT = join(import.meta.dir, 'boot.sh')

type Outcome = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

/** A running system whose process 1 is a real systemd, with this machine's network and a disk in memory. */
export type Machine = {
  /** What systemd says of its version. */
  readonly version: string
  /** Runs a command in it, as root. */
  run(command: readonly string[], input?: string | Blob): Promise<Outcome>
  /** As `run`, and throws unless it exits with 0. Resolves with what it printed, without blanks around. */
  sure(command: readonly string[], input?: string | Blob): Promise<string>
  /** What runs a command in it, as root and where this process may: a terminal comes with it. */
  enter(command: readonly string[]): readonly string[]
  write(path: string, content: string | Blob): Promise<void>
  read(path: string): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

/** Boots a fresh one. A text says why that cannot be done here. */
export async function bootMachine(): Promise<Machine | string> {
  if (process.geteuid?.() !== 0) return 'needs root'
  const hierarchy = findCgroup2()
  if (hierarchy === null) return 'no hierarchy of cgroup2 can be written to'
  const root = await findRoot()
  if ('reason' in root) return root.reason

  const cgroup = mkdtempSync(join(hierarchy, `alibi-test${ownedName()}`))
  const scratch = openTemporaryFolder()
  // It ends with this process, however that ends.
  const command = ['setpriv', '--pdeathsig=KILL', 'bash', BOOT, root.path, scratch.path, cgroup]
  const child = Bun.spawn(command, {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  async function end() {
    child.kill('SIGKILL')
    await child.exited
    await until('the machine is gone', () => isCgroupRemoved(cgroup))
    scratch[Symbol.dispose]()
  }
  try {
    let init = 0
    await until('systemd runs', () => {
      if (child.exitCode !== null) throw new Error(`boot.sh exited with ${child.exitCode}`)
      init = findInit(child.pid)
      return init > 0
    })
    const machine = machineOf(init, end)
    await until('it has booted', async () =>
      /^(?:running|degraded)/.test((await machine.run(['systemctl', 'is-system-running'])).stdout),
    )
    const [version = ''] = (await machine.sure(['systemctl', '--version'])).split('\n')
    return { ...machine, version }
  } catch (error) {
    await end()
    const complaint = (await new Response(child.stderr).text()).trim().replaceAll('\n', '; ')
    return `systemd does not boot here (${error instanceof Error ? error.message : error}): ${complaint}`
  }
}

function machineOf(init: number, end: () => Promise<void>): Omit<Machine, 'version'> {
  const namespaces = ['--mount', '--uts', '--ipc', '--pid', '--cgroup', '--root', '--wd']
  const enter = (command: readonly string[]) => [
    'nsenter',
    `--target=${init}`,
    ...namespaces,
    '--',
    ...command,
  ]

  async function run(command: readonly string[], input: string | Blob = ''): Promise<Outcome> {
    const child = Bun.spawn(enter(command), {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      stdin: typeof input === 'string' ? Buffer.from(input) : input,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode: await child.exited, stdout, stderr }
  }

  async function sure(command: readonly string[], input?: string | Blob): Promise<string> {
    const { exitCode, stdout, stderr } = await run(command, input)
    if (exitCode !== 0) throw new Error(`${command.join(' ')} exited with ${exitCode}: ${stderr}`)
    return stdout.trim()
  }

  return {
    run,
    sure,
    enter,
    read: async (path) => sure(['cat', path]),
    write: async (path, content) => void (await sure(['sh', '-c', 'cat >"$0"', path], content)),
    [Symbol.asyncDispose]: end,
  }
}

/** Where a hierarchy of cgroup2 is mounted; null where there is none, or none that can be written to. */
function findCgroup2(): string | null {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const mount = mounts.find((line) => line.includes(' - cgroup2 '))
  const path = mount?.split(' ')[4]
  if (path === undefined) return null
  try {
    rmdirSync(mkdtempSync(join(path, 'alibi-test-')))
    return path
  } catch {
    return null
  }
}

/** A system of Debian's, kept for the next run. */
async function findRoot(): Promise<{ path: string } | { reason: string }> {
  const path = cachePath(`systemd-${SUITE}`)
  if (existsSync(path)) return { path }
  if (Bun.which('mmdebstrap') === null) return { reason: 'mmdebstrap is not installed' }

  const draft = makeDraft()
  const options = [
    '--quiet',
    '--variant=minbase',
    '--include=systemd,systemd-sysv,dbus',
    '--dpkgopt=force-unsafe-io',
    '--aptopt=Acquire::Languages "none"',
  ]
  const child = Bun.spawn(['mmdebstrap', ...options, SUITE, draft], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PATIENCE_MS,
  })
  const complaint = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) {
    rmSync(draft, { recursive: true, force: true })
    const [last = ''] = complaint.trim().split('\n').slice(-1)
    return { reason: `no system can be made of Debian's packages (${last})` }
  }
  // Another run may have been faster.
  if (existsSync(path)) rmSync(draft, { recursive: true, force: true })
  else renameSync(draft, path)
  return { path }
}

/** The first process inside the namespaces, once it is systemd; 0 before. */
function findInit(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const init = Number(children.trim())
  if (init === 0) return 0
  const command = readFileSync(`/proc/${init}/comm`, 'utf8')
  return command.trim() === 'systemd' ? init : 0
}

/** Takes away what is left of machines whose tests were killed. */
export function sweepCgroups(): void {
  const hierarchy = process.geteuid?.() === 0 ? findCgroup2() : null
  if (hierarchy === null) return
  for (const name of readdirSync(hierarchy).filter(isLeft)) isCgroupRemoved(join(hierarchy, name))
}

/** Takes the folders away from the innermost outwards, as far as nothing runs in them any more. */
function isCgroupRemoved(path: string): boolean {
  const folders = readdirSync(path, { withFileTypes: true }).filter((one) => one.isDirectory())
  if (!folders.every(({ name }) => isCgroupRemoved(join(path, name)))) return false
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
