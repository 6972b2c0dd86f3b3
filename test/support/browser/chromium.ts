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

let found: Promise<Chromium> | null = null

/** The same for all test files of a run, which says once which one it is. */
export function chromiumOfThisRun(): Promise<Chromium> {
  found ??= findChromium(process.env).then((chromium) => {
    console.log(`The pages are tested in ${chromium.version} (${chromium.executablePath})`)
    return chromium
  })
  return found
}

/**
 * The browser that CHROMIUM_PATH names, else one that is installed, else the one that npm has brought. Throws when none
 * of them runs.
 */
export async function findChromium({
  CHROMIUM_PATH,
  PATH = '',
}: Readonly<Record<string, string | undefined>>): Promise<Chromium> {
  if (CHROMIUM_PATH) {
    const named = await tryOut({ executablePath: CHROMIUM_PATH, env: {} })
    if (named) return named
    throw new Error(`CHROMIUM_PATH names no browser that runs: ${CHROMIUM_PATH}`)
  }

  for (const candidates of [installed, packagedChromium]) {
    for (const candidate of await candidates(PATH)) {
      const chromium = await tryOut(candidate)
      if (chromium) return chromium
    }
  }
  throw new Error(
    'no browser runs here: install Chromium or Google Chrome, or set CHROMIUM_PATH to one',
  )
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
