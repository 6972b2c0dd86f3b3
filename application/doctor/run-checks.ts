import { type Finding, findingsOn } from './finding.ts'

/** Looks at one part of the installation, and says what it found. */
export type Check = {
  /** The subjects of its findings. Where the check fails, each of them gets a line. */
  readonly names: readonly [string, ...string[]]
  readonly needsNetwork: boolean
  run(): Promise<readonly Finding[]>
}

/**
 * Every finding, in the order of the checks. Those that need the network run at the same time, and are given up after
 * `timeoutMs`; the rest run one after the other, so that a slow disk makes no provider seem late. A check that throws
 * is a finding like any other.
 */
export async function runChecks(
  checks: readonly Check[],
  {
    offline,
    timeoutMs,
    wait,
    onProgress,
  }: {
    offline: boolean
    timeoutMs: number
    /** Resolves after so many milliseconds, or once it is aborted. */
    wait: (milliseconds: number, until: AbortSignal) => Promise<void>
    /** Called with the subjects of the checks that begin. */
    onProgress: (names: readonly string[]) => void
  },
): Promise<readonly Finding[]> {
  const underWay = new Set<Check>()
  const tellProgress = () => onProgress([...underWay].map(({ names: [name] }) => name))

  async function runCheck(check: Check): Promise<readonly Finding[]> {
    underWay.add(check)
    tellProgress()
    const ended = new AbortController()
    try {
      const tooLate = wait(timeoutMs, ended.signal).then(() => timedOut(check, timeoutMs))
      const findings = runSafely(check)
      return await (check.needsNetwork ? Promise.race([findings, tooLate]) : findings)
    } finally {
      ended.abort()
      underWay.delete(check)
      tellProgress()
    }
  }

  const found = new Map<Check, readonly Finding[]>()
  const remote = checks.filter(({ needsNetwork }) => needsNetwork)
  const runRemote = async (check: Check) =>
    found.set(check, offline ? skipped(check) : await runCheck(check))
  await Promise.all(remote.map(runRemote))
  for (const check of checks) {
    if (!check.needsNetwork) found.set(check, await runCheck(check))
  }
  return checks.flatMap((check) => found.get(check) ?? [])
}

async function runSafely(check: Check): Promise<readonly Finding[]> {
  try {
    return await check.run()
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'an unknown error'
    const advice = 'this is a fault of Alibi: please report it'
    return unchecked(check, `could not be checked: ${reason}`, advice)
  }
}

function skipped({ names }: Check): readonly Finding[] {
  return names.map((name) => findingsOn(name).skipped('not looked at (--offline)'))
}

function timedOut(check: Check, timeoutMs: number): readonly Finding[] {
  return unchecked(check, `could not be checked within ${timeoutMs / 1000} s`, 'try again')
}

/** A line for each name, because a missing line would look healthy. */
function unchecked({ names }: Check, text: string, advice: string): readonly Finding[] {
  return names.map((name) => findingsOn(name).failed(text, advice))
}
