import type { ClockFacts } from '../../application/doctor/clock.ts'
import type { Clock } from '../../application/ports.ts'

type Comparing = { clock: Clock; timeoutMs: number }

/** Compares with the Date header of the answer at `url`; null asks only the system. Never throws. */
export async function probeClock(
  url: string | null,
  { askSystem = isClockSynchronized, ...comparing }: Comparing & { askSystem?: AskSystem },
): Promise<ClockFacts> {
  const compared = url === null ? 'there is nobody to compare with' : await compare(url, comparing)
  if (typeof compared !== 'string') return compared
  return { kind: 'system', isSynchronized: await askSystem(), reason: compared }
}

/** Returns the reason as a text where the clocks cannot be compared. */
async function compare(url: string, { clock, timeoutMs }: Comparing): Promise<ClockFacts | string> {
  const { host } = new URL(url)
  try {
    // No key is sent: every answer has a Date header, a refusal as well.
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const now = clock.now()
    await response.body?.cancel()
    const there = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(there)) return `${host} does not tell the time`
    return { kind: 'compared', aheadMs: now.getTime() - there, host }
  } catch {
    return `${host} does not answer`
  }
}

type AskSystem = () => Promise<boolean | null>

/** What systemd says; null where it says nothing. */
async function isClockSynchronized(): Promise<boolean | null> {
  try {
    const command = ['timedatectl', 'show', '--property=NTPSynchronized', '--value']
    const asked = Bun.spawn(command, { stdin: 'ignore', stderr: 'ignore', timeout: 2000 })
    const answer = (await new Response(asked.stdout).text()).trim()
    return answer === 'yes' ? true : answer === 'no' ? false : null
  } catch {
    return null
  }
}
