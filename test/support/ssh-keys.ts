import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** Null where there is no ssh-keygen, which is said in the output. */
export const SSH_KEYGEN = Bun.which('ssh-keygen')
if (SSH_KEYGEN === null) {
  process.stdout.write('not tested here: signed releases (ssh-keygen is not installed)\n')
}

/** A new key: the file of its private half. Its public half lies beside it, as `.pub`. */
export function makeKey(
  name: string,
  { folder = temporaryFolder(), passphrase = '' } = {},
): string {
  const key = join(folder, name)
  sshKeygen(['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'who releases', '-f', key])
  return key
}

export function sshKeygen(parameters: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['ssh-keygen', ...parameters], { stdin: 'ignore' })
  if (exitCode !== 0) throw new Error(`ssh-keygen: ${stderr}`)
}
