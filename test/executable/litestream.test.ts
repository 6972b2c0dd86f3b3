import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buyer, openProduction, type Production } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../operations/litestream.yml'), 'utf8')

test('the example for Litestream says what to keep where its release 0.5 reads it', () => {
  const { snapshot, dbs } = Bun.YAML.parse(EXAMPLE) as {
    snapshot: object
    dbs: Record<string, Record<string, unknown>>[]
  }
  expect(snapshot).toEqual({ interval: '24h', retention: '168h' })
  expect(dbs).toHaveLength(1)
  expect(Object.keys(dbs[0] ?? {})).toEqual(['path', 'replica'])
  expect(dbs[0]?.['replica']).not.toContainAnyKeys(['retention', 'snapshot-interval'])
})

/** The example with copies in a folder, and an interval that is not Litestream's own. */
function configFor({ databasePath, folder }: Production): string {
  const places = {
    '/var/lib/alibi/alibi.db': databasePath,
    'type: s3': 'type: file',
    '      bucket: YOUR-BUCKET\n': '',
    '      region: YOUR-REGION\n': '',
    'path: alibi\n': `path: ${join(folder, 'copies')}\n`,
    'interval: 24h': 'interval: 36h',
  }
  let config = EXAMPLE
  for (const [shown, own] of Object.entries(places)) {
    expect(config.split(shown)).toHaveLength(2)
    config = config.replace(shown, () => own)
  }
  const file = join(folder, 'litestream.yml')
  writeFileSync(file, config)
  return file
}

/** Litestream beside the service. `output` is what it has said. */
function replicate(config: string) {
  const child = Bun.spawn(['litestream', 'replicate', '-config', config], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) said += chunk
  })()
  return {
    output: () => said,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      await reading
    },
  }
}

/** Makes of the copies a database at the path. Whether there was enough of them. */
function restoreCopies(production: Production, config: string, file: string): boolean {
  rmSync(file, { force: true })
  const command = ['litestream', 'restore', '-config', config, '-o', file, production.databasePath]
  return Bun.spawnSync(command).exitCode === 0
}

/** Whether the copies have that the address has paid. */
function hasCopied(production: Production, config: string, email: string): boolean {
  const file = join(production.folder, 'looked-at.db')
  if (!restoreCopies(production, config, file)) return false
  using database = new Database(file)
  const paid = "SELECT 1 FROM purchases WHERE email = ? AND state = 'paid'"
  return database.query(paid).get(email) !== null
}

/** Brings the copies back in a folder like that of another machine. */
async function restoreElsewhere(production: Production, config: string, name: string) {
  const elsewhere = join(production.folder, name)
  mkdirSync(elsewhere)
  const copy = join(elsewhere, 'copy.db')
  expect(restoreCopies(production, config, copy)).toBe(true)
  const env = { ...production.settings, DATABASE_URL: `sqlite:${join(elsewhere, 'alibi.db')}` }
  expect(await production.run(['restore', copy, '--yes'], env)).toMatchObject({ exitCode: 0 })
  return { copy, statusOf: (email: string) => production.run(['status', email], env) }
}

test('Litestream with the example copies what is sold, before and after a restore in place', async () => {
  if (!Bun.which('litestream')) {
    process.stdout.write('not tested here: Litestream, which is not installed\n')
    return
  }
  await using production = await openProduction()
  const config = configFor(production)

  /** Sells to each of them while the copies are made. */
  async function sell(names: readonly string[]): Promise<void> {
    const alibi = await production.start()
    const litestream = replicate(config)
    try {
      // Not Litestream's own value: the section is read.
      await until('it reads when to make snapshots', () =>
        litestream.output().includes('level=9 interval=36h0m0s'),
      )
      for (const name of names) {
        const email = `${name}@example.com`
        await buyer(alibi, production, email).buy()
        await until('the copies have it', () => hasCopied(production, config, email))
      }
      await alibi.stop()
    } finally {
      await litestream.stop()
    }
  }

  await sell(['first', 'second'])
  const { copy, statusOf } = await restoreElsewhere(production, config, 'elsewhere')
  for (const name of ['first', 'second']) {
    expect((await statusOf(`${name}@example.com`)).stdout).toContain('has premium.')
  }

  expect(await production.run(['restore', copy, '--yes'])).toMatchObject({ exitCode: 0 })
  await sell(['third'])
  const later = await restoreElsewhere(production, config, 'later')
  for (const name of ['first', 'second', 'third']) {
    expect((await later.statusOf(`${name}@example.com`)).stdout).toContain('has premium.')
  }
})
