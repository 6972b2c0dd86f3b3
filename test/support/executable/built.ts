import { cpSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { makeDraft } from '../checkout-cache.ts'
import { runAlibi } from '../service/alibi-process.ts'

const ROOT = join(import.meta.dir, '../../..')
/** What building does not need, or makes. */
const LEFT_OUT = ['.cache', '.git', 'bench', 'dist', 'node_modules', 'test']

let built: Promise<string> | null = null

/**
 * The path of the executable that release/build.sh makes. It is built once for all that run in this process, unless
 * TEST_EXECUTABLE names the one that test/run.ts has built for all processes.
 */
export function builtExecutable(): Promise<string> {
  const { TEST_EXECUTABLE } = process.env
  built ??= TEST_EXECUTABLE ? Promise.resolve(TEST_EXECUTABLE) : build()
  return built
}

/** Builds a copy of the sources, so that the developer's dist/ stays as it is. */
async function build(): Promise<string> {
  const folder = copySources()
  const { PATH = '' } = process.env
  const outcome = await runAlibi({
    command: ['sh', 'release/build.sh'],
    cwd: folder,
    env: { PATH },
  })
  if (outcome.exitCode !== 0)
    throw new Error(`release/build.sh failed:\n${outcome.stdout}${outcome.stderr}`)
  return join(folder, 'dist', 'alibi')
}

/**
 * A draft with all that building needs. It is within the checkout, but not under node_modules, where no macro would be
 * run.
 */
export function copySources(): string {
  const folder = makeDraft()
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
