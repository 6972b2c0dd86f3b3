import { SECOND_MS } from '../../domain/duration.ts'
import { type Finding, findingsOn } from './finding.ts'

/** Looks at one part of the installation, and says what it found. */
export type Check = {
  /** The subjects of its findings. Where it fails, each of them gets a line: a missing one would look healthy. */
  readonly names: readonly [string, ...string[]]
  readonly needsNetwork: boolean
  readonly run: () => Promise<readonly Finding[]>
}

/** Longer than any check waits by itself. */
const TIMEOUT_MS = 15 * SECOND_MS

/**
 * Every finding, in the order of the checks. Those that need the network run at the same time, and are given up after
 * 15 seconds; the rest run one after the other, so that a slow disk makes no provider seem late. A check that throws is
 * a finding like any other.
 */
export async function runChecks(
  checks: readonly Check[],
  {
    offline,
    wait,
    progress,
  }: {
    offline: boolean
    /** Resolves after so many milliseconds, or once it is aborted. */
    wait: (milliseconds: number, until: AbortSignal) => Promise<void>
    /** Called with what is looked at; null for nothing. */
    progress: (line: string | null) => void
  },
): Promise<readonly Finding[]> {
  const underWay = new Set<Check>()
  function tellProgress(): void {
    const names = [...underWay].map(({ names: [name] }) => name)
    progress(names.length > 0 ? `looking at ${names.join(', ')} …` : null)
  }

  async function runCheck(check: Check): Promise<readonly Finding[]> {
    const { names, needsNetwork } = check
    if (needsNetwork && offline) {
      return names.map((name) => findingsOn(name).skipped('not looked at (--offline)'))
    }
    underWay.add(check)
    tellProgress()
    const ended = new AbortController()
    try {
      if (!needsNetwork) return await runSafely(check)
      const late = wait(TIMEOUT_MS, ended.signal).then(() => {
        const text = `could not be checked within ${TIMEOUT_MS / SECOND_MS} s`
        return names.map((name) => findingsOn(name).failed(text, 'try again'))
      })
      return await Promise.race([runSafely(check), late])
    } finally {
      ended.abort()
      underWay.delete(check)
      tellProgress()
    }
  }

  const found = new Map<Check, readonly Finding[]>()
  const run = async (check: Check) => found.set(check, await runCheck(check))
  await Promise.all(checks.filter(({ needsNetwork }) => needsNetwork).map(run))
  for (const check of checks) if (!check.needsNetwork) await run(check)
  return checks.flatMap((check) => found.get(check) ?? [])
}

async function runSafely({ names, run }: Check): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (error) {
    const text = `could not be checked: ${error instanceof Error ? error.name : 'an unknown error'}`
    const advice = 'this is a fault of Alibi: please report it'
    return names.map((name) => findingsOn(name).failed(text, advice))
  }
}
