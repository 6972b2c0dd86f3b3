import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { backUpDatabase } from '../../../infrastructure/sqlite/backups/backup.ts'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import {
  addRows,
  countRows,
  oldDatabase,
  soldDatabase,
} from '../../support/stores/sold-database.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('several processes on one SQLite file', () => {
  test('make it and migrate it once between them, and none of them fails', async () => {
    const folder = temporaryFolder()

    const outputs = await runTogether('migrate-when-told.ts', [folder, '40'], 4)
    const results: ReturnType<typeof migrateSqlite>[][] = outputs.map((output) =>
      JSON.parse(output),
    )
    const names = MIGRATIONS.map(({ name }) => name)
    for (let database = 0; database < 40; database++) {
      const ofOneDatabase = results.map((ofOneProcess) => ofOneProcess[database]!)
      expect(ofOneDatabase.flatMap(({ applied }) => applied).toSorted()).toEqual(names)
      expect(new Set(ofOneDatabase.map(({ version }) => version))).toEqual(new Set([names.at(-1)!]))
    }
  })

  test('migrate an old one once between them, and a copy that is kept has the old state', async () => {
    const folder = temporaryFolder()
    for (let database = 0; database < 10; database++) {
      renameSync(oldDatabase().path, join(folder, `${database}.db`))
    }

    const outputs = await runTogether('migrate-when-told.ts', [folder, '10'], 4)
    const results: ReturnType<typeof migrateSqlite>[][] = outputs.map((output) =>
      JSON.parse(output),
    )
    const names = MIGRATIONS.map(({ name }) => name)
    for (let database = 0; database < 10; database++) {
      const applied = results.flatMap((ofOneProcess) => ofOneProcess[database]!.applied)
      expect(applied.toSorted()).toEqual(names.slice(1))
      const copy = join(folder, `${database}.db.before-${names[1]}`)
      expect(countRows(copy)).toBe(1)
      expect(countMigrations(copy)).toBe(1)
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('lose none of one another’s updates', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    migrateSqlite(path)

    await runTogether('count-when-told.ts', [path, '50'], 2)

    const store = openSqliteStore(path)
    const refund = await store.refunds.findById('re_shared')
    store.close()
    expect(refund?.amount).toBe(100)
  })

  test('a process that opens it while a backup is put in its place gets the backup', async () => {
    const { path } = soldDatabase(1)
    const file = join(temporaryFolder(), 'backup.db')
    backUpDatabase({ databasePath: path, file })
    addRows(path, 1)
    const script = new URL('../../support/fixtures/slow-restore.ts', import.meta.url).pathname
    const restore = Bun.spawn([process.execPath, 'run', script, path, file], { stdout: 'pipe' })
    const { value } = await restore.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('locked\n')

    const database = openTemporaryDatabase(path)
    const rows = await database.read(() =>
      database.queries.$client.prepare('SELECT count(*) FROM log_outs').values(),
    )
    expect(rows).toEqual([[1]])
    await database.write(() => database.queries.$client.run('DELETE FROM log_outs'))
    expect(await restore.exited).toBe(0)
  })
})

function countMigrations(path: string): number {
  const client = new Database(path, { readonly: true })
  const [[count] = []] = client.prepare('SELECT count(*) FROM schema_migrations').values()
  client.close(true)
  return Number(count)
}

/** Starts the fixture in several processes, lets them all go at once, and returns what each printed from then on. */
async function runTogether(
  fixture: string,
  parameters: readonly string[],
  processes: number,
): Promise<readonly string[]> {
  const script = new URL(`../../support/fixtures/${fixture}`, import.meta.url).pathname
  const children = Array.from({ length: processes }, () => {
    const command = [process.execPath, 'run', script, ...parameters]
    const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    return { child, output: child.stdout.getReader() }
  })

  for (const { output } of children) {
    const { value } = await output.read()
    expect(new TextDecoder().decode(value)).toBe('ready\n')
  }
  for (const { child } of children) {
    child.stdin.write('go\n')
    child.stdin.end()
  }
  const endings = await Promise.all(
    children.map(async ({ child, output }) => ({
      printed: await readAll(output),
      complaints: await new Response(child.stderr).text(),
      exitCode: await child.exited,
    })),
  )
  for (const { exitCode, complaints } of endings) {
    expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' })
  }
  return endings.map(({ printed }) => printed)
}

async function readAll(reader: {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text
}
