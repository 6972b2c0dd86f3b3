import { join } from 'node:path'
import { onServerCore } from '../machine.ts'

const PROGRAM = join(import.meta.dir, 'commit-program.ts')

/** How many commits a second can be made in this folder where each one waits for the disk by itself. */
export async function singleCommitsPerSecond(folder: string, seconds: number): Promise<number> {
  const database = join(folder, 'single-commits.db')
  const command = [process.execPath, 'run', PROGRAM, database, String(seconds)]
  const child = Bun.spawn(onServerCore(command), { stdout: 'pipe' })
  return Number(await new Response(child.stdout).text())
}
