import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { IncompatibleDatabase } from '../../../infrastructure/database/outage.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { assertSchema } from '../../../infrastructure/sqlite/schema-check.ts'
import { openCurrentSqliteStore, openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function migrated(path = ':memory:'): Database {
  const client = new Database(path)
  applyMigrations(client, MIGRATIONS)
  return client
}

test('a migrated database has all that the queries need, and may have more', () => {
  const client = migrated()
  client.run('CREATE TABLE of_the_operator (id INTEGER)')
  client.run('ALTER TABLE verifications ADD COLUMN of_the_operator TEXT')

  expect(() => assertSchema(client)).not.toThrow()
})

test.each([
  ['DROP TABLE verifications', 'the column verifications.email'],
  [
    'ALTER TABLE verifications DROP COLUMN code_challenge',
    'the column verifications.code_challenge',
  ],
  ['ALTER TABLE otps RENAME COLUMN seed TO seeds', 'the column otps.seed'],
  [
    'ALTER TABLE sweeps RENAME TO old; CREATE TABLE sweeps AS SELECT * FROM old',
    'the column sweeps.name as primary key',
  ],
])('a database is refused after %s', (change, missing) => {
  const client = migrated()
  client.run(change)

  expect(() => assertSchema(client)).toThrow(
    new IncompatibleDatabase(
      `the database :memory: lacks ${missing}, although its migrations say otherwise: put a backup back with "alibi restore FILE"`,
    ),
  )
})

test.each([
  ['the service', openSqliteStore],
  ['a command', openCurrentSqliteStore],
])('%s does not open a database whose tables were changed by hand', (_, open) => {
  const path = join(temporaryFolder(), 'alibi.db')
  const client = migrated(path)
  client.run('DROP TABLE otp_mails')
  client.close()

  expect(() => open(path)).toThrow(IncompatibleDatabase)
})
