import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runAlibi } from './service/alibi-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

const SCRIPT = join(import.meta.dir, '../../operations/install.sh')
export const OWN = process.arch === 'arm64' ? 'arm64' : 'x64'
export const EXECUTABLE = `alibi-9.8.7-linux-${OWN}`
/** An executable that only writes down how it was called. */
export const SHOW_CALL = `#!/bin/sh
printf '%s' "$*" >called
printf 'options of the runtime: %s\\n' "\${BUN_OPTIONS-none} \${BUN_BE_BUN-none}"
exit "\${ALIBI_EXITS_WITH:-0}"
`

/** An unpacked release; `spoil` does to it what the test is about. */
export function unpackRelease(spoil: (folder: string) => void = () => {}): string {
  const folder = join(temporaryFolder(), 'a release')
  mkdirSync(join(folder, 'operations'), { recursive: true })
  copyFileSync(SCRIPT, join(folder, 'install.sh'))
  writeFileSync(join(folder, EXECUTABLE), SHOW_CALL)
  writeFileSync(join(folder, 'operations/Caddyfile'), 'example')
  writeSums(folder)
  spoil(folder)
  return folder
}

/** The checksums of what lies there now. */
export function writeSums(folder: string): void {
  const sums = [EXECUTABLE, 'install.sh', 'operations/Caddyfile']
    .map((name) => `${digestOf(join(folder, name))}  ${name}\n`)
    .concat(`${'0'.repeat(64)}  alibi-9.8.7-linux-of-another-machine\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** From another folder, as an operator might. */
export async function installUnpacked(
  folder: string,
  parameters: readonly string[] = [],
  env = {},
) {
  const { PATH = '' } = process.env
  const cwd = join(folder, '..')
  const command = ['sh', join('a release', 'install.sh'), ...parameters]
  const outcome = await runAlibi({ command, cwd, env: { PATH, ...env } })
  const called = join(folder, 'called')
  return { ...outcome, called: existsSync(called) ? readFileSync(called, 'utf8') : null }
}
