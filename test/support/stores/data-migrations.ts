import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEmail } from '../../../domain/email.ts'
import { CARRIED_TABLES } from '../../../infrastructure/data-migration/carried-tables.ts'
import { migrateSqlite } from '../../../infrastructure/sqlite/database.ts'
import { openDataMigration } from '../../../interfaces/composition/run-data-migration.ts'
import { NOON } from '../fakes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { insertRows, rowsAbout } from './stored-persons.ts'

/** A database in a folder of its own with so many persons, and a row of everything that knows of nobody. */
export function fullDatabase(persons: number): string {
  const path = join(temporaryFolder(), 'alibi.db')
  migrateSqlite(path)
  const client = new Database(path)
  const at = NOON.getTime()
  client.transaction(() => {
    for (let person = 1; person <= persons; person++) {
      insertRows(client, rowsAbout(parseEmail(`person${person}@example.com`), person))
    }
    client.run('UPDATE log_out_epoch SET epoch = ?', [at])
    insertRows(client, {
      service_mails: { id: 7, sent_at: at, had_premium: 0, network: '192.0.2.0/24' },
      erased_log_outs: { trace: 'digest', epoch: at },
      common_log_out: { id: 1, epoch: at - 1 },
      foreign_payments: { payment_intent_id: 'pi_of_another_shop', stored_at: at },
      sweeps: { name: 'disputes', last_run_at: at },
      heartbeat: { id: 1, at },
    })
  })()
  client.close(true)
  return path
}

/** Changes a database that nobody has open. */
export function changeDatabase(path: string, sql: string, ...values: (string | number)[]): void {
  const client = new Database(path)
  client.run(sql, values)
  client.close(true)
}

/** Everything that is carried to another database, as text, in the order of the keys. */
export function dump(path: string): string {
  const client = new Database(path, { readonly: true })
  try {
    const lines = CARRIED_TABLES.flatMap(({ name, key }) =>
      client
        .query(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`)
        .all()
        .map((row) => `${name}: ${JSON.stringify(row)}`),
    )
    const counted = client.query('SELECT name, seq FROM sqlite_sequence').all()
    return [...lines, `counted: ${JSON.stringify(counted)}`].join('\n')
  } finally {
    client.close(true)
  }
}

/** As the command does it. */
export async function migrateData(
  { from, to }: { from: string; to: string },
  {
    env = {},
    stopping = new AbortController().signal,
  }: { env?: Record<string, string>; stopping?: AbortSignal } = {},
) {
  const readFile = (path: string) => readFileSync(path, 'utf8')
  const steps: string[] = []
  const migration = openDataMigration({ env, readFile }, { from, to })
  const tables = await migration.copy({
    onProgress: ({ step, table, rows }) => void steps.push(`${step} ${table} ${rows}`),
    stopping,
  })
  return { tables, steps }
}

/** What it fails with, as one line with its causes. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    const reasons: string[] = []
    for (let cause = error; cause instanceof Error; cause = cause.cause) reasons.push(cause.message)
    return reasons.join(': ')
  }
  throw new Error('nothing was refused')
}
