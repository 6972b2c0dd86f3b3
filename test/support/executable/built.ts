import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { runAlibi } from '../service/alibi-process.ts'

const ROOT = join(import.meta.dir, '../../..')
/** What building does not need, or makes. */
const LEFT_OUT = ['.cache', '.git', 'bench', 'dist', 'node_modules', 'test']
/** Within the checkout, so that whatever lies there is its owner's; under node_modules no macro would be run. */
const CACHE = join(ROOT, '.cache')
const FOLDER_PREFIX = 'alibi-built-by-'

let built: Promise<string> | null = null

/**
 * The path of the executable that build.sh makes. It is built once for all that run in this process, unless
 * TEST_EXECUTABLE names the one that test/run.ts has built for all processes.
 */
export function builtExecutable(): Promise<string> {
  const { TEST_EXECUTABLE } = process.env
  built ??= TEST_EXECUTABLE ? Promise.resolve(TEST_EXECUTABLE) : build()
  return built
}

/** Builds a copy of the sources, so that the developer's dist/ stays as it is. */
async function build(): Promise<string> {
  sweep()
  const folder = copySources()
  const { PATH = '' } = process.env
  const outcome = await runAlibi({ command: ['sh', 'build.sh'], cwd: folder, env: { PATH } })
  if (outcome.exitCode !== 0)
    throw new Error(`build.sh failed:\n${outcome.stdout}${outcome.stderr}`)
  return join(folder, 'dist', 'alibi')
}

/** A folder of its own with all that building needs. It is taken away by a later run. */
export function copySources(): string {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, `${FOLDER_PREFIX}${process.pid}-`))
  for (const name of readdirSync(ROOT).filter((one) => !LEFT_OUT.includes(one))) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  linkTree(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Where a package lies goes into the executable, so that a symbolic link in its place would make other bytes. */
function linkTree(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkTree(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkSync(source, target)
  }
}

/** The test runner says nothing when a run ends, so every run takes away what earlier ones have left. */
function sweep(): void {
  mkdirSync(CACHE, { recursive: true })
  for (const name of readdirSync(CACHE)) {
    const [, owner] = new RegExp(`^${FOLDER_PREFIX}([0-9]+)-`).exec(name) ?? []
    if (owner === undefined || isRunning(Number(owner))) continue
    rmSync(join(CACHE, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
