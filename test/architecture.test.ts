import { describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import manifest from '../package.json'

const ROOT = path.join(import.meta.dir, '..')
const MAIN = 'interfaces/main.ts'
/** Where the adapters are wired: together with `MAIN` the composition root. */
const COMPOSITION = 'interfaces/composition/'
/** What runs in browsers, which are the outside world: tests move the browser's own clock. */
const BROWSER = 'interfaces/http/pages/browser/'
const LINES_MAX = 300
/** Files that are longer, and why: such as that no part of one can be understood without the others. */
const LONGER: Readonly<Record<string, string>> = {}
/** Of TypeScript in the four layers. Whoever needs more says what goes. */
const PRODUCT_LINES_MAX = 44_000
const COMMENT_COLUMNS_MAX = 120
/** Of its own, not counting those of the folders in it: so many names a person takes in at once. */
const FILES_MAX = 16
/** Their files are alike: one for each thing of a kind, found by its name. */
const LARGE_FOLDERS = [
  'domain',
  'infrastructure/postgres',
  'infrastructure/sqlite',
  'interfaces/cli/commands',
  'interfaces/composition',
  'interfaces/http/pages/browser',
]
/** Files with this in their name are put there by a run of this test, maybe another one than this. */
const BIOME_PROBE = '/biome-probe-'

/**
 * The folders of the project that each folder may import, and whether it may import packages. Only the composition root
 * sees everything.
 */
const FOLDERS = {
  domain: { sees: ['domain'], packages: false },
  application: { sees: ['domain', 'application'], packages: false },
  infrastructure: { sees: ['domain', 'application', 'infrastructure'], packages: true },
  interfaces: { sees: ['domain', 'application', 'interfaces'], packages: true },
} as const
type Folder = keyof typeof FOLDERS

/**
 * The ways to name another module: import and export from, import for effect, import() of values and types, require.
 */
const MODULE_NAME =
  /\b(?:from|import|require)\b\s*\(?\s*(?<quote>['"`])(?<name>[^'"`\n]+)\k<quote>/g
/** A module named by something that has to run first. */
const COMPUTED_MODULE_NAME = /\bimport\s*\(\s*(?![\s'"])/g
const ENVIRONMENT =
  /\b(?:process|Bun|import\.meta)\s*(?:\.|\?\.)\s*env\b|\benv\b[^;\n=]*\}\s*=\s*(?:process|Bun)\b/g
const TIME_OR_CHANCE =
  /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^)\s])|(?<!\bnew\s)\bDate\s*\(|\bMath\s*\.\s*random\b|\bperformance\s*\.\s*now\b|\bTemporal\s*\.\s*Now\b/g
const UNRUN_TEST = /\.\s*(?:only|skip|todo)(?:If)?\s*[(.]/g
const VAGUE_NAME = /(?:^|\/)(?:index|utils?|helpers?|common|types|misc|shared)\.ts$/
/** A limit in place of the one of test/support/patience.ts, as the formatter writes it. */
const OWN_LIMIT =
  /^setDefaultTimeout\(|^ *\}, [\d_]{4,}\)$|^ *\d+_000,\n *\)$|\{ timeout: [\d_]+ \}/gm

type Source = { readonly file: string; readonly text: string }

async function readSources(pattern: string): Promise<Source[]> {
  const found = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: ROOT }))
  const files = found.filter((file) => !file.includes(BIOME_PROBE))
  return Promise.all(
    files
      .sort()
      .map(async (file) => ({ file, text: await Bun.file(path.join(ROOT, file)).text() })),
  )
}

/** Every match as `file:line: match`, but for those in comments that begin their line. */
function findAll(
  { file, text }: Source,
  pattern: RegExp,
): { place: string; match: RegExpExecArray }[] {
  const code = text.replace(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '')
  return [...code.matchAll(pattern)].map((match) => ({
    place: `${file}:${code.slice(0, match.index).split('\n').length}: ${match[0].trim()}`,
    match,
  }))
}

function places(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.flatMap((source) => findAll(source, pattern).map(({ place }) => place))
}

function isCompositionRoot({ file }: Source): boolean {
  return file === MAIN || file.startsWith(COMPOSITION)
}

function forbiddenImports(source: Source): string[] {
  if (isCompositionRoot(source)) return []
  const { sees, packages } = FOLDERS[source.file.split('/')[0] as Folder]
  const named = findAll(source, MODULE_NAME)
    .filter(({ match }) => {
      const name = match.groups?.['name'] ?? ''
      if (!name.startsWith('.')) return !packages
      const folder = path.join(path.dirname(source.file), name).split(path.sep)[0]
      return !sees.some((seen) => seen === folder)
    })
    .map(({ place }) => place)
  return [...named, ...places([source], COMPUTED_MODULE_NAME)]
}

/** The files of the project that a file names, by their paths in the repository. */
function namedFiles(source: Source): string[] {
  return findAll(source, MODULE_NAME)
    .map(({ match }) => match.groups?.['name'] ?? '')
    .filter((name) => name.startsWith('.'))
    .map((name) => path.join(path.dirname(source.file), name))
}

/**
 * Every pair of folders of one layer in which each imports the other: neither can be read alone. A file that imports
 * nothing can be read alone, wherever it lies.
 */
function twoWayPairs(all: readonly Source[]): string[] {
  const plain = new Set(
    all.filter((source) => namedFiles(source).length === 0).map(({ file }) => file),
  )
  const imports = new Set(
    all.flatMap((source) =>
      namedFiles(source)
        .filter((named) => !plain.has(named))
        .map((named) => [path.dirname(source.file), path.dirname(named)] as const)
        .filter(([from, to]) => from !== to && from.split('/')[0] === to.split('/')[0])
        .map(([from, to]) => `${from} -> ${to}`),
    ),
  )
  return [...imports]
    .filter((one) => imports.has(one.split(' -> ').toReversed().join(' -> ')))
    .filter((one) => one.split(' -> ').toSorted().join(' -> ') === one)
    .map((one) => one.replace(' -> ', ' <-> '))
    .toSorted()
}

/** The files that import each other in a circle, and those between two circles. */
function inCircles(all: readonly Source[]): readonly string[] {
  let left = all.map((source) => ({ file: source.file, named: namedFiles(source) }))
  for (;;) {
    const files = new Set(left.map(({ file }) => file))
    const imported = new Set(left.flatMap(({ named }) => named))
    const next = left.filter(
      ({ file, named }) => imported.has(file) && named.some((one) => files.has(one)),
    )
    if (next.length === left.length) return next.map(({ file }) => file)
    left = next
  }
}

/** Folders with more files of their own than a person takes in, and how many. */
function crowdedFolders(all: readonly Source[]): string[] {
  const folders = Map.groupBy(all, ({ file }) => path.dirname(file))
  return [...folders]
    .filter(([folder, files]) => files.length > FILES_MAX && !LARGE_FOLDERS.includes(folder))
    .map(([folder, files]) => `${folder}: ${files.length} files`)
}

/** Every line of a comment that begins its line and is wider than a screen shows, as `file:line: columns`. */
function wideComments({ file, text }: Source): string[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, place: `${file}:${index + 1}: ${line.length} columns` }))
    .filter(({ line }) => line.length > COMMENT_COLUMNS_MAX && /^\s*(?:\/\/|\/?\*)/.test(line))
    .map(({ place }) => place)
}

const sources = await readSources('{domain,application,infrastructure,interfaces}/**/*.ts')
const tests = await readSources('test/**/*.ts')
const benchmark = await readSources('bench/**/*.ts')
const examples = await readSources('examples/**/*.ts')

describe('the source', () => {
  test('is all there: every folder has files to look at', () => {
    for (const folder of Object.keys(FOLDERS)) {
      expect(sources.filter(({ file }) => file.startsWith(`${folder}/`)).length).toBeGreaterThan(0)
    }
  })

  test('imports only what its folder may see', () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([])
  })

  test('reads the environment only in the composition root', () => {
    expect(
      places(
        sources.filter(({ file }) => file !== MAIN),
        ENVIRONMENT,
      ),
    ).toEqual([])
  })

  test('takes time and chance from ports, but for the adapters that are their source', () => {
    const others = sources.filter(
      (source) =>
        !isCompositionRoot(source) &&
        !source.file.startsWith(BROWSER) &&
        source.file !== 'infrastructure/system-clock.ts',
    )
    expect(places(others, TIME_OR_CHANCE)).toEqual([])
  })

  test('has no file that is longer than a person reads at once, but for a reason', async () => {
    const written = await readSources(
      '{domain,application,infrastructure,interfaces}/**/*.{ts,js,css,html}',
    )
    const tooLong = written
      .map(({ file, text }) => ({ file, lines: text.trimEnd().split('\n').length }))
      .filter(({ file, lines }) => lines > LINES_MAX && !LONGER[file])
      .map(({ file, lines }) => `${file}: ${lines} lines`)
    expect(tooLong).toEqual([])
  })

  test('is no larger than its budget', () => {
    const lines = sources.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
    expect(lines).toBeLessThanOrEqual(PRODUCT_LINES_MAX)
  })

  test('has no circle of files that import each other', () => {
    expect(inCircles(sources)).toEqual([])
  })

  test('has no folder with more files than a person takes in', () => {
    expect(crowdedFolders(sources)).toEqual([])
    const folders = new Set(sources.map(({ file }) => path.dirname(file)))
    expect(LARGE_FOLDERS.filter((folder) => !folders.has(folder))).toEqual([])
  })

  test('has no two folders of a layer that import each other', () => {
    expect(twoWayPairs(sources)).toEqual([])
  })

  test('has no file whose name says nothing', () => {
    expect(sources.map(({ file }) => file).filter((file) => VAGUE_NAME.test(file))).toEqual([])
  })
})

describe('the tests', () => {
  test('are all run', () => {
    const others = tests.filter(({ file }) => file !== 'test/architecture.test.ts')
    expect(places(others, UNRUN_TEST)).toEqual([])
  })

  test('have no limit of their own', () => {
    const others = tests.filter(
      ({ file }) => !/^test\/(?:architecture\.test|preload)\.ts$/.test(file),
    )
    expect(places(others, OWN_LIMIT)).toEqual([])
  })

  test('import every file of the core but one, which is a type alone', () => {
    const tested = new Set(tests.flatMap(namedFiles))
    const untested = sources
      .map(({ file }) => file)
      .filter((file) => /^(?:domain|application)\//.test(file) && !tested.has(file))
    expect(untested).toEqual(['domain/brand.ts'])
  })
})

describe('the benchmark', () => {
  test('has no file or folder that is more than a person takes in', () => {
    expect(benchmark.length).toBeGreaterThan(0)
    expect(benchmark.filter(({ text }) => text.split('\n').length > LINES_MAX)).toEqual([])
    expect(crowdedFolders(benchmark)).toEqual([])
    expect(twoWayPairs(benchmark)).toEqual([])
    expect(benchmark.map(({ file }) => file).filter((file) => VAGUE_NAME.test(file))).toEqual([])
  })
})

describe('the examples', () => {
  test('stand alone, and have no file or folder that is more than a person takes in', () => {
    expect(examples.length).toBeGreaterThan(0)
    const strayed = examples.flatMap((source) =>
      namedFiles(source).filter((named) => path.relative('examples', named).startsWith('..')),
    )
    expect(strayed).toEqual([])
    expect(examples.filter(({ text }) => text.split('\n').length > LINES_MAX)).toEqual([])
    expect(crowdedFolders(examples)).toEqual([])
    expect(examples.map(({ file }) => file).filter((file) => VAGUE_NAME.test(file))).toEqual([])
  })
})

describe('the comments', () => {
  test('of the product, the release, the benchmark, the examples and the tests fit on a screen', async () => {
    const release = await readSources('release/**/*.ts')
    expect(release.length).toBeGreaterThan(0)
    expect(
      [...sources, ...release, ...benchmark, ...examples, ...tests].flatMap(wideComments),
    ).toEqual([])
  })
})

describe('the dependencies', () => {
  test('are pinned to one version each', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    const loose = versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    expect(versions.length).toBeGreaterThan(0)
    expect(loose).toEqual([])
  })

  test('are locked without the address of a registry', async () => {
    const lock = { file: 'bun.lock', text: await Bun.file(path.join(ROOT, 'bun.lock')).text() }
    expect(lock.text).not.toBe('')
    expect(places([lock], /.*http.*/g)).toEqual([])
  })
})

describe('this very test', () => {
  const named = (file: string, text: string) => ({ file, text })

  test.each([
    ["import { log } from '../infrastructure/log.ts'"],
    ["import type { Log } from '../infrastructure/log.ts'"],
    ["import {\n  log,\n} from '../infrastructure/log.ts'"],
    ["import '../infrastructure/log.ts'"],
    ["export * from '../infrastructure/log.ts'"],
    ["const log = await import('../infrastructure/log.ts')"],
    ["const log = await import(\n  '../infrastructure/log.ts',\n)"],
    ["type Log = import('../infrastructure/log.ts').Log"],
    ["const log = require('../infrastructure/log.ts')"],
    ['const log = await import(`../infrastructure/log.ts`)'],
    ['const log = await import(name)'],
    ["import { log } from './../infrastructure/log.ts'"],
    ["import { fakePorts } from '../test/fakes.ts'"],
    ["import manifest from '../package.json'"],
    ["import Stripe from 'stripe'"],
    ["import { readFile } from 'node:fs'"],
    ["import { Database } from 'bun:sqlite'"],
  ])('sees that the core must not say: %s', (text) => {
    expect(forbiddenImports(named('application/x.ts', text))).not.toEqual([])
    expect(forbiddenImports(named('domain/x.ts', text))).not.toEqual([])
  })

  test.each([
    ['domain/x.ts', "import type { Ports } from '../application/ports.ts'"],
    ['application/x.ts', "import { app } from '../interfaces/http/app.ts'"],
    ['infrastructure/sqlite/x.ts', "import { app } from '../../interfaces/http/app.ts'"],
    ['interfaces/http/x.ts', "import { log } from '../../infrastructure/log.ts'"],
    ['interfaces/cli/x.ts', "type Log = import('../../infrastructure/log.ts').Log"],
  ])('sees that %s must not say: %s', (file, text) => {
    expect(forbiddenImports(named(file, text))).toEqual([
      `${file}:1: ${text.slice(text.search(/\b(?:from|import\()/)).replace(/\).*/, '')}`,
    ])
  })

  test.each([
    ['domain/x.ts', "import { parseEmail } from './email.ts'"],
    ['application/x.ts', "import { parseEmail } from '../domain/email.ts'"],
    ['infrastructure/sqlite/x.ts', "import type { Ports } from '../../application/ports.ts'"],
    ['infrastructure/x.ts', "import Stripe from 'stripe'"],
    ['interfaces/http/x.ts', "import { Elysia } from 'elysia'"],
    ['interfaces/main.ts', "import { log } from '../infrastructure/log.ts'"],
    ['interfaces/composition/x.ts', "import { log } from '../../infrastructure/log.ts'"],
    ['domain/x.ts', "// Not imported from '../infrastructure/log.ts'."],
  ])('lets %s say: %s', (file, text) => {
    expect(forbiddenImports(named(file, text))).toEqual([])
  })

  test.each([
    ['the environment', 'const home = process.env.HOME', ENVIRONMENT, true],
    ['the environment', 'const home = Bun.env["HOME"]', ENVIRONMENT, true],
    ['the environment', 'const home = import.meta.env.HOME', ENVIRONMENT, true],
    ['the environment', 'const { env } = process', ENVIRONMENT, true],
    ['the environment', 'const { env } = settings', ENVIRONMENT, false],
    ['time', 'const now = Date.now()', TIME_OR_CHANCE, true],
    ['time', 'const now = new Date()', TIME_OR_CHANCE, true],
    ['time', 'const now = new Date', TIME_OR_CHANCE, true],
    ['time', 'const now = Date()', TIME_OR_CHANCE, true],
    ['time', 'const now = new Date(milliseconds)', TIME_OR_CHANCE, false],
    ['time', 'const age = performance.now()', TIME_OR_CHANCE, true],
    ['chance', 'const dice = Math.random()', TIME_OR_CHANCE, true],
    ['chance', 'const one = Math.max(1, 2)', TIME_OR_CHANCE, false],
    ...[
      "skip('x', () => {})",
      "only('x', () => {})",
      "todo('x')",
      "todoIf(true)('x', () => {})",
    ].map((call) => ['a test that is not run', `describe.${call}`, UNRUN_TEST, true] as const),
    ['a test that is not run', "test('the only one', () => {})", UNRUN_TEST, false],
    ...[
      "test('x', async () => {\n}, 60_000)",
      "test(\n  'x',\n  async () => {},\n  60_000,\n)",
      "test('x', async () => {}, { timeout: 60_000 })",
      'setDefaultTimeout(60_000)',
    ].map((call) => ['a limit', call, OWN_LIMIT, true] as const),
    ['a limit', 'setInterval(() => {\n}, TURN_MS)', OWN_LIMIT, false],
  ])('looks for %s: %s', (_, text, pattern, found) => {
    expect(places([named('x.ts', text)], pattern).length > 0).toBe(found)
  })

  test.each([
    [`// ${'x'.repeat(118)}`, ['x.ts:1: 121 columns']],
    [`/** ${'x'.repeat(114)} */`, ['x.ts:1: 121 columns']],
    [`/**\n * ${'x'.repeat(118)}\n */`, ['x.ts:2: 121 columns']],
    [`// ${'x'.repeat(117)}`, []],
    [`const text = '${'x'.repeat(200)}'`, []],
  ])('measures the lines of comments alone: %s', (text, found) => {
    expect(wideComments(named('x.ts', text))).toEqual(found)
  })

  test('sees two folders that import each other, and no others', () => {
    const sources = [
      named('application/a/x.ts', "import { y } from '../b/y.ts'"),
      named('application/b/z.ts', "import { x } from '../a/x.ts'"),
      named('application/c/x.ts', "import { y } from '../b/y.ts'"),
      named('application/b/y.ts', "import { z } from './z.ts'"),
      named('application/x.ts', "import { x } from './c/x.ts'"),
      named('application/c/y.ts', "import { x } from '../x.ts'"),
      named('application/d/z.ts', "import { plain } from '../b/plain.ts'"),
      named('application/b/w.ts', "import { z } from '../d/z.ts'"),
      named('application/b/plain.ts', 'export const plain = 1'),
      named('interfaces/a/x.ts', "import { y } from '../../application/b/y.ts'"),
    ]
    expect(twoWayPairs(sources)).toEqual([
      'application <-> application/c',
      'application/a <-> application/b',
    ])
  })

  test('sees files that import each other in a circle, and no others', () => {
    expect(
      inCircles([
        named('domain/a.ts', "import { b } from './b.ts'"),
        named('domain/b.ts', "import type { c } from './c.ts'"),
        named('domain/c.ts', "import { a } from './a.ts'"),
        named('domain/before.ts', "import { a } from './a.ts'"),
        named('domain/alone.ts', ''),
      ]),
    ).toEqual(['domain/a.ts', 'domain/b.ts', 'domain/c.ts'])
  })

  test('counts the files of a folder, and not those of the folders in it', () => {
    const files = (folder: string, count: number) =>
      Array.from({ length: count }, (_, index) => named(`${folder}/${index}.ts`, ''))
    expect(
      crowdedFolders([...files('application/a', 16), ...files('application/a/b', 17)]),
    ).toEqual(['application/a/b: 17 files'])
    expect(crowdedFolders(files('domain', 40))).toEqual([])
  })

  test('names the line', () => {
    expect(
      places([named('x.ts', '// a\n\nconst a = 1\nconst now = Date.now()\n')], TIME_OR_CHANCE),
    ).toEqual(['x.ts:4: Date.now'])
  })
})

describe('Biome', () => {
  const refused = [
    [
      'domain',
      "export type { Ports } from '../application/ports.ts'",
      'domain imports only domain',
    ],
    ['domain', "export { Elysia } from 'elysia'", 'domain imports only domain'],
    [
      'application',
      "export const load = () => import('../infrastructure/config.ts')",
      'application imports only domain and application',
    ],
    [
      'infrastructure',
      "export { createApp } from '../interfaces/http/app.ts'",
      'infrastructure never imports interfaces',
    ],
    [
      'interfaces',
      "export { loadConfig } from '../infrastructure/config.ts'",
      'interfaces never imports infrastructure',
    ],
  ] as const
  const allowed = [
    ['application', "export { parseEmail } from '../domain/email.ts'", null],
    ['interfaces', "export { Elysia } from 'elysia'", null],
  ] as const

  test('refuses what the folders must not import, and nothing else', async () => {
    const probes = [...refused, ...allowed].map(([folder, text, message]) => ({
      file: `${folder}${BIOME_PROBE}${Bun.randomUUIDv7()}.ts`,
      text: `${text}\n`,
      message,
    }))
    try {
      for (const { file, text } of probes) await Bun.write(path.join(ROOT, file), text)
      const { exitCode, findings } = await lint(probes.map(({ file }) => file))
      for (const { file, message } of probes) {
        const [finding = null, ...others] = findings.filter((line) => line.includes(file))
        expect(others).toEqual([])
        if (message) expect(finding).toContain(message)
        else expect(finding).toBeNull()
      }
      expect(exitCode).not.toBe(0)
    } finally {
      for (const { file } of probes) await rm(path.join(ROOT, file), { force: true })
    }
  })

  /** One line for each thing that Biome has to say. */
  async function lint(files: readonly string[]): Promise<{ exitCode: number; findings: string[] }> {
    const launcher = path.join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
    const biome = Bun.spawn([process.execPath, launcher, 'lint', '--reporter=github', ...files], {
      cwd: ROOT,
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const output = await new Response(biome.stdout).text()
    return { exitCode: await biome.exited, findings: output.split('\n').filter(Boolean) }
  }
})
