import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Test files that run one after the other in a process of their own. */
export type Shard = {
  readonly files: readonly string[]
  readonly expectedMs: number
  readonly lane: Lane
}

/** Beside as many others as there are cores, beside those as one that hardly does anything, or beside nothing. */
export type Lane = 'working' | 'waiting' | 'alone'

/** Roughly how long a file takes, by where it lies: the longest start first, so that none is left over at the end. */
const EXPECTED_MS: readonly (readonly [path: RegExp, ms: number])[] = [
  [
    /^test\/(?:systemd\/|browser\/(?:accessibility|layout|docs)|races\/repetitions|executable\/release)/,
    40_000,
  ],
  [/^test\/(?:payments\/|browser\/|interfaces\/http\/openapi\/generated)/, 25_000],
  [/^test\/executable\/postgres\//, 30_000],
  [
    /^test\/(?:replicas\/|executable\/(?:kills|setup)|stress\/|infrastructure\/data-migration\/round)/,
    20_000,
  ],
  [/^test\/support\/postgres\/(?:own-cluster|server)/, 15_000],
  [/^test\/(?:executable|journeys|examples)\//, 10_000],
  [/^test\/(?:spec|races|abuse)\//, 4_000],
  [/^test\/(?:infrastructure|interfaces)\//, 1_000],
]
const EXPECTED_ELSE_MS = 200
/** Tests of deadlines and of hanging peers, which wait more than they work. */
const WAITING =
  /^test\/(?:systemd\/|spec\/stripe-faults|stress\/(?:locked|leadership)|executable\/(?:mail-outages|outages|postgres\/|service-notices|stopping)|infrastructure\/(?:mail\/resend-mailer|doctor\/|stripe\/(?:payment-gateway-outages|reversals|deadlines))|interfaces\/http\/listen)/
/**
 * Files that need the machine for themselves, or leave nothing of it to others: ten thousand connections, hundreds of
 * kills, full disks, how much memory an attack takes. They run after all others, one by one.
 */
const ALONE =
  /^test\/(?:abuse\/(?:attack-day|held-bodies)|stress\/(?:descriptors|disk-full|grouped-kills|idle-connections|killed-replicas|large-requests|restarts|slow-clients)|executable\/postgres\/disk-full)/
/** A file that takes longer has a shard to itself. The others share a shard up to this. */
const SHARD_MS = 8_000

/**
 * The test files of the checkout at or below the paths, or all of them, as paths from its root. Throws where a path
 * has none, so that a name with a mistake in it does not pass for tests that pass.
 */
export function testFiles(root: string, paths: readonly string[]): string[] {
  const chosen = (paths.length === 0 ? ['test'] : paths).flatMap((path) => {
    const files = filesAt(join(root, path)).filter((file) => file.endsWith('.test.ts'))
    if (files.length === 0) throw new Error(`no test file at ${path}`)
    return files.map((file) => relative(root, file))
  })
  return [...new Set(chosen)].toSorted()
}

function filesAt(path: string): string[] {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))
}

/** Small files of one folder share a shard, since most of what they take is loading the same modules. */
export function shardsOf(files: readonly string[]): Shard[] {
  const shards: (Shard & { files: string[]; expectedMs: number })[] = []
  for (const file of files) {
    const [ms, lane] = [expectedMs(file), laneOf(file)]
    const fitting = shards.find(
      (shard) =>
        folderOf(shard.files[0]!) === folderOf(file) &&
        shard.lane === lane &&
        shard.expectedMs + ms <= SHARD_MS,
    )
    if (fitting) {
      fitting.files.push(file)
      fitting.expectedMs += ms
    } else {
      shards.push({ files: [file], expectedMs: ms, lane })
    }
  }
  return shards.toSorted((one, other) => other.expectedMs - one.expectedMs)
}

/** Such as `test/domain`; what lies deeper belongs to it, too. */
function folderOf(file: string): string {
  return dirname(file).split('/').slice(0, 2).join('/')
}

function laneOf(file: string): Lane {
  if (ALONE.test(file)) return 'alone'
  return WAITING.test(file) ? 'waiting' : 'working'
}

function expectedMs(file: string): number {
  return EXPECTED_MS.find(([path]) => path.test(file))?.[1] ?? EXPECTED_ELSE_MS
}

/** Whether there are files among them that run the built executable; what else does builds it itself. */
export function needsExecutable(files: readonly string[]): boolean {
  return files.some((file) =>
    /^test\/(?:abuse|browser|executable|journeys|replicas|stress|systemd)\//.test(file),
  )
}

/** What gives tests the PostgreSQL that they share. */
const SHARED_POSTGRES = 'test/support/postgres/shared-server.ts'

/** Whether there are files among them that can use the PostgreSQL of the run: import it, however indirectly. */
export function needsPostgres(root: string, files: readonly string[]): boolean {
  const seen = new Set(files)
  // A set goes on to what is added while it is gone through.
  for (const file of seen) {
    for (const imported of importedTests(root, file)) seen.add(imported)
  }
  return seen.has(SHARED_POSTGRES)
}

const IMPORTED = /\b(?:from|import)\b[\s(]*'(?<path>\.[^'\n]+\.ts)'/g

/** The files under test/ that the file imports; nothing else imports those. */
function importedTests(root: string, file: string): string[] {
  return [...readFileSync(join(root, file), 'utf8').matchAll(IMPORTED)]
    .map(({ groups }) => join(dirname(file), groups?.['path'] ?? ''))
    .filter((path) => path.startsWith('test/') && existsSync(join(root, path)))
}
