import { type Finding, findingsOn } from '../../application/doctor/finding.ts'
import type { Clock } from '../../application/ports.ts'
import { SKEW_MAX_MS } from '../../domain/clock-skew.ts'

const WARNING_MS = 30_000
/** The Date header counts whole seconds, and takes time to arrive. */
const RIGHT_MS = 2_000

const SYNCHRONIZE = 'let it be synchronised, such as with "timedatectl set-ntp true"'

/** Compares with the Date header of the answer at `url`; null asks only the system. Never throws. */
export async function checkClock(
  url: string | null,
  {
    clock,
    timeoutMs,
    askSystem = isClockSynchronized,
  }: { clock: Clock; timeoutMs: number; askSystem?: () => Promise<boolean | null> },
): Promise<readonly Finding[]> {
  const { ok, skipped, warning } = findingsOn('clock')
  const there = url === null ? null : await askFor(url, timeoutMs)
  const host = url === null ? '' : new URL(url).host
  if (there) return [compare(clock.now().getTime() - there.getTime(), host)]

  const how = `not compared: ${url === null ? 'there is nobody to compare with' : `${host} does not tell the time`}`
  const isSynchronized = await askSystem()
  if (isSynchronized === null) return [skipped(how)]
  return isSynchronized
    ? [ok(`synchronised, as the system says (${how})`)]
    : [warning(`not synchronised, as the system says (${how})`, SYNCHRONIZE)]
}

function compare(aheadMs: number, host: string): Finding {
  const { ok, warning, failed } = findingsOn('clock')
  const offMs = Math.abs(aheadMs)
  if (offMs < RIGHT_MS) return ok(`right, as ${host} tells the time`)
  const off = `${describeSpan(offMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}`
  // Pages have a little more than the 30 minutes that Stripe wants, and notifications are refused after five.
  const effect =
    aheadMs > 0
      ? 'notifications look old, and codes and tokens of now do not count once it is right'
      : 'payment pages look too short to Stripe, which refuses them'
  if (offMs > SKEW_MAX_MS) return failed(`${off}: ${effect}`, SYNCHRONIZE)
  return offMs > WARNING_MS ? warning(off, SYNCHRONIZE) : ok(off)
}

function describeSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

/** Null where no answer with a date comes. */
async function askFor(url: string, timeoutMs: number): Promise<Date | null> {
  try {
    // No key is sent: every answer has a Date header, a refusal as well.
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { redirect: 'manual', signal })
    void response.body?.cancel()
    const date = new Date(response.headers.get('date') ?? '')
    return Number.isNaN(date.getTime()) ? null : date
  } catch {
    return null
  }
}

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
