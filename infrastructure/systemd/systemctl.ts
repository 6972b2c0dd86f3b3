import { statSync } from 'node:fs'

/** Asks the systemd of this machine. Rejects with its own words when it does not do what was asked. */
export type Systemctl = (...parameters: readonly string[]) => Promise<string>

/** Alibi reads its words, so that they have to be English and in universal time. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' }
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Null on a machine that systemd does not run, by the rule of sd_booted(3). */
export function findSystemctl(): Systemctl | null {
  const isBooted = statSync('/run/systemd/system', { throwIfNoEntry: false })?.isDirectory()
  const program = isBooted ? Bun.which('systemctl', { PATH }) : null
  if (program === null) return null

  return async (...parameters) => {
    const child = Bun.spawn([program, ...parameters], {
      env: { ...ENVIRONMENT, PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, complaint] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if ((await child.exited) === 0) return output
    const reason = complaint.trim() || `it exited with ${child.exitCode}`
    throw new Error(`systemctl ${parameters.join(' ')} failed: ${reason}`)
  }
}
