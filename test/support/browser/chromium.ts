import { existsSync } from 'node:fs'
import { packagedChromium } from './packaged-chromium.ts'

/** A browser that runs on this machine. */
export type Chromium = {
  readonly executablePath: string
  /** What its process needs in its environment beside ours. */
  readonly env: Readonly<Record<string, string>>
  /** As it says itself, such as `Chromium 153.0.8010.0`. */
  readonly version: string
}

type Candidate = Omit<Chromium, 'version'>

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

let found: Promise<Chromium | null> | null = null

/** The same for all test files of a process, which says once which one it is, or that there is none. */
export function chromiumOfThisRun(): Promise<Chromium | null> {
  found ??= findChromium(process.env).then((chromium) => {
    console.log(
      chromium
        ? `The pages are tested in ${chromium.version} (${chromium.executablePath})`
        : 'not tested here: the pages in a browser: no Chromium or Google Chrome runs here',
    )
    return chromium
  })
  return found
}

/**
 * The browser that CHROMIUM_PATH names, else the one that npm has brought, else one that is installed. That of npm
 * comes first because it has no window, and so opens a page in a fifth of the time. Null when none of them runs; throws
 * when that is the one that CHROMIUM_PATH names.
 */
export async function findChromium(
  { CHROMIUM_PATH, PATH = '' }: Readonly<Record<string, string | undefined>>,
  packaged: () => Promise<readonly Candidate[]> = packagedChromium,
): Promise<Chromium | null> {
  if (CHROMIUM_PATH) {
    const named = await tryOut({ executablePath: CHROMIUM_PATH, env: {} })
    if (named) return named
    throw new Error(`CHROMIUM_PATH names no browser that runs: ${CHROMIUM_PATH}`)
  }

  for (const candidate of [...(await packaged()), ...installed(PATH)]) {
    const chromium = await tryOut(candidate)
    if (chromium) return chromium
  }
  return null
}

function installed(PATH: string): Candidate[] {
  const commands = COMMANDS.flatMap((command) => Bun.which(command, { PATH }) ?? [])
  const applications = APPLICATIONS.filter((path) => existsSync(path))
  return [...commands, ...applications].map((executablePath) => ({ executablePath, env: {} }))
}

/** Null for one that does not start: a stub of a package manager, or one that misses a library. */
async function tryOut({ executablePath, env }: Candidate): Promise<Chromium | null> {
  try {
    const { exitCode, stdout } = Bun.spawnSync([executablePath, '--version'], {
      env: { ...process.env, ...env },
      stderr: 'ignore',
    })
    const [version] = /(?:Chromium|Google Chrome)[\w ]* [\d.]+/.exec(stdout.toString()) ?? []
    return exitCode === 0 && version ? { executablePath, env, version } : null
  } catch {
    return null
  }
}
