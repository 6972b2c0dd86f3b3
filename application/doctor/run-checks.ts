import { type Finding, findingsOn } from './finding.ts'

/** Looks at one part of the installation, and says what it found. */
export type Checkup = {
  /** What its findings are about: a line for each where it cannot tell them itself. */
  readonly names: readonly [string, ...string[]]
  readonly needsNetwork: boolean
  examine(): Promise<readonly Finding[]>
}

/**
 * Every finding, in the order of the checkups. What needs the network is examined at the same time, and given up after
 * `patienceMs`; the rest one after the other, so that a long look at the disk makes no provider seem late. A checkup
 * that throws is a finding like any other.
 */
export async function diagnose(
  checkups: readonly Checkup[],
  {
    offline,
    patienceMs,
    wait,
    onProgress,
  }: {
    offline: boolean
    patienceMs: number
    /** Resolves after so many milliseconds, or once it is aborted. */
    wait: (milliseconds: number, until: AbortSignal) => Promise<void>
    /** Called with what is being looked at. */
    onProgress: (names: readonly string[]) => void
  },
): Promise<readonly Finding[]> {
  const underWay = new Set<Checkup>()
  const tellProgress = () => onProgress([...underWay].map(({ names: [name] }) => name))

  async function examine(checkup: Checkup): Promise<readonly Finding[]> {
    underWay.add(checkup)
    tellProgress()
    const ended = new AbortController()
    try {
      const tooLate = wait(patienceMs, ended.signal).then(() => outOfPatience(checkup, patienceMs))
      const examined = examineSafely(checkup)
      return await (checkup.needsNetwork ? Promise.race([examined, tooLate]) : examined)
    } finally {
      ended.abort()
      underWay.delete(checkup)
      tellProgress()
    }
  }

  const found = new Map<Checkup, readonly Finding[]>()
  const remote = checkups.filter(({ needsNetwork }) => needsNetwork)
  const examineRemote = async (checkup: Checkup) =>
    found.set(checkup, offline ? skipped(checkup) : await examine(checkup))
  await Promise.all(remote.map(examineRemote))
  for (const checkup of checkups) {
    if (!checkup.needsNetwork) found.set(checkup, await examine(checkup))
  }
  return checkups.flatMap((checkup) => found.get(checkup) ?? [])
}

async function examineSafely(checkup: Checkup): Promise<readonly Finding[]> {
  try {
    return await checkup.examine()
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'an unknown error'
    const advice = 'this is a fault of Alibi: please report it'
    return unchecked(checkup, `could not be checked: ${reason}`, advice)
  }
}

function skipped({ names }: Checkup): readonly Finding[] {
  return names.map((name) => findingsOn(name).skipped('not looked at (--offline)'))
}

function outOfPatience(checkup: Checkup, patienceMs: number): readonly Finding[] {
  return unchecked(checkup, `could not be checked within ${patienceMs / 1000} s`, 'try again')
}

/** A line for each name, so that nobody takes what is not said for sound. */
function unchecked({ names }: Checkup, text: string, advice: string): readonly Finding[] {
  return names.map((name) => findingsOn(name).failed(text, advice))
}
