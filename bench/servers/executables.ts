import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newestChange } from '../machine.ts'

const ROOT = join(import.meta.dir, '../..')
const FOLDER = join(ROOT, '.cache', 'bench')
const SOURCES = [
  'domain',
  'application',
  'infrastructure',
  'interfaces',
  'package.json',
  'bun.lock',
]
const BARE_SOURCE = 'bench/servers/bare-program.ts'

/** The executable of these very sources: compiled anew only after one of them was changed. */
export function alibiExecutable(): string {
  const path = join(FOLDER, 'alibi')
  if (isUpToDate(path, SOURCES)) return path
  run(['sh', 'release/compile.sh', path])
  return path
}

export function bareExecutable(): string {
  const path = join(FOLDER, 'bare')
  if (isUpToDate(path, [BARE_SOURCE])) return path
  const options = ['--compile', '--minify', '--bytecode', '--format=esm']
  run([process.execPath, 'build', BARE_SOURCE, ...options, '--outfile', path])
  return path
}

function isUpToDate(path: string, sources: readonly string[]): boolean {
  const built = statSync(path, { throwIfNoEntry: false })
  return built !== undefined && built.mtimeMs > newestChange(ROOT, sources)
}

function run(command: string[]): void {
  mkdirSync(FOLDER, { recursive: true })
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT })
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`)
}
