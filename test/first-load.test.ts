import { describe, expect, test } from 'bun:test'
import path from 'node:path'

const ROOT = path.join(import.meta.dir, '..')

/** Packages that a start has no use for, and who loads each when it is first needed. */
const LATER = [
  'stripe',
  'resend',
  'prom-client',
  '@elysiajs/openapi',
  'elysia',
  '@elysiajs/jwt',
  '@sinclair/typebox',
  'jose',
  'fastest-levenshtein',
  '@humanwhocodes/momoa',
]

/** Our own modules that are loaded when they are first needed. */
const OWN_LATER = [
  'interfaces/http/app.ts',
  'interfaces/http/openapi/operations.ts',
  'interfaces/http/openapi/document.ts',
  'interfaces/http/pages/docs/page.ts',
  'infrastructure/stripe/payment-gateway.ts',
  'infrastructure/sandbox/payment-gateway.ts',
  'infrastructure/prometheus/prometheus-metrics.ts',
  'infrastructure/content/own-content.ts',
  'infrastructure/content/en.json',
  'infrastructure/content/zh.json',
]

/** Modules of node that load all of its streams with them. */
const STREAMS = ['node:crypto', 'node:http', 'node:https', 'node:net', 'node:stream', 'node:tty']

/** What a start imports once it knows its settings. */
const BY_SETTINGS = [
  'infrastructure/prometheus/prometheus-metrics.ts',
  'infrastructure/stripe/payment-gateway.ts',
  'infrastructure/mail/resend-mailer.ts',
]

/** What a small command such as `version` does without. */
const OF_SOME_COMMANDS = ['drizzle-orm', 'bun:sqlite']

const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** The modules that a file loads together with itself: imports of types, and of what is imported later, are none. */
async function loadedWith(file: string): Promise<string[]> {
  const code = await Bun.file(path.join(ROOT, file)).text()
  return transpiler
    .scanImports(code)
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path: name }) => (name.startsWith('.') ? path.join(path.dirname(file), name) : name))
}

/** All that is loaded when these files are: our files by their paths, packages by the names they are imported by. */
async function loaded(...files: readonly string[]): Promise<ReadonlySet<string>> {
  const seen = new Set<string>(files)
  for (const name of seen) {
    if (!name.endsWith('.ts')) continue
    for (const next of await loadedWith(name)) seen.add(next)
  }
  return seen
}

function isOf(packageName: string, name: string): boolean {
  return name === packageName || name.startsWith(`${packageName}/`)
}

const found = (names: ReadonlySet<string>, wanted: readonly string[]) =>
  [...names].filter((name) => wanted.some((one) => isOf(one, name)))

describe('a command', () => {
  test('loads nothing that only some commands need before it is asked for', async () => {
    const names = await loaded('interfaces/main.ts')

    expect(names.size).toBeGreaterThan(30)
    expect(found(names, [...LATER, ...OF_SOME_COMMANDS, ...OWN_LATER])).toEqual([])
  })
})

const START = [
  'interfaces/main.ts',
  'interfaces/composition/run-serve.ts',
  'interfaces/composition/serve-sqlite.ts',
]

describe('a start of the service', () => {
  test('on SQLite loads nothing of PostgreSQL', async () => {
    const service = ['interfaces/main.ts', 'interfaces/composition/run-serve.ts']
    const [sqlite, postgres] = [
      await loaded(...START),
      await loaded(...service, 'interfaces/composition/serve-postgres.ts'),
    ]

    expect(found(postgres, ['pg'])).toEqual(['pg'])
    expect(found(sqlite, ['pg'])).toEqual([])
    expect([...sqlite].filter((name) => name.startsWith('infrastructure/postgres/'))).toEqual([])
  })

  test('loads nothing that is only needed later', async () => {
    const names = await loaded(...START)

    expect(found(names, OF_SOME_COMMANDS)).toContain('drizzle-orm')
    expect(found(names, [...LATER, ...OWN_LATER])).toEqual([])
  })

  test("loads none of node's streams", async () => {
    const start = [...START, ...BY_SETTINGS]

    expect(found(await loaded(...start), STREAMS)).toEqual([])
  })

  test.each([
    ['stripe', 'infrastructure/stripe/payment-gateway.ts'],
    ['resend', 'infrastructure/mail/resend-mailer.ts'],
  ])('in production does not load %s, though it makes what uses it', async (name, adapter) => {
    expect(found(await loaded(adapter), [name])).toEqual([])
  })
})

describe('metrics', () => {
  test("load the parts of prom-client that they use, and not what needs node's HTTP", async () => {
    const names = await loaded('infrastructure/prometheus/prometheus-metrics.ts')

    expect(found(names, ['prom-client'])).not.toContain('prom-client')
    expect(found(names, ['prom-client'])).toContain('prom-client/lib/counter.js')
  })
})

describe('this very test', () => {
  test('follows what a file imports, and what is imported by that', async () => {
    const names = await loaded('infrastructure/doctor/stripe.ts')

    expect(names).toContain('stripe')
    expect(names).toContain('infrastructure/stripe/client.ts')
    expect(names).toContain('application/first-use.ts')
  })

  test('has the names of files that are there', async () => {
    for (const file of [...OWN_LATER, ...BY_SETTINGS])
      expect(await Bun.file(path.join(ROOT, file)).exists()).toBe(true)
  })
})
