import { describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import type { Email } from '../../../domain/email.ts'
import type { ErasedEmailDigest } from '../../../domain/erasure.ts'
import { nextEpoch } from '../../../domain/log-out.ts'
import { hasPremium } from '../../../domain/premium-grant.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { backUpDatabase } from '../../../infrastructure/sqlite/backups/backup.ts'
import { prepareRestore } from '../../../infrastructure/sqlite/backups/restore.ts'
import { DatabaseInUse } from '../../../infrastructure/sqlite/backups/restore-lock.ts'
import { prepareFindAccess } from '../../../infrastructure/sqlite/find-access.ts'
import { openSqliteStore, sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON, ORIGIN } from '../../support/fakes.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { FROM_SOURCE } from '../../support/service/alibi-process.ts'
import { ANNA, BERT, paidPurchase } from '../../support/stores/contract-purchases.ts'
import { spoilTable } from '../../support/stores/database-faults.ts'
import { expectOutage } from '../../support/stores/every-method.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const DIGEST = 'digest' as ErasedEmailDigest
const FULL_REFUND = {
  id: 're_1',
  paymentIntentId: 'pi_one',
  amount: 400,
  state: 'succeeded',
} as const

type Access = Pick<DatabaseStore, 'access'>

const find = async ({ access }: Access, email = ANNA) => access.findByEmail(email, () => [DIGEST])
const premium = async (store: Access, email = ANNA) => hasPremium((await find(store, email)).grants)

/** A store on a file that remembers that Anna has premium. */
async function openRemembering() {
  const path = join(temporaryFolder(), 'alibi.db')
  const database = openTemporaryDatabase(path)
  const store = sqliteStore(database)
  await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))
  expect(await premium(store)).toBe(true)
  return { path, database, store }
}

describe('what decides about access', () => {
  test('is found through an index, however many addresses there are', () => {
    const { queries } = openTemporaryDatabase(':memory:')
    const prepare = spyOn(queries.$client, 'prepare')
    prepareFindAccess(queries)
    const statements = prepare.mock.calls.map(([statement]) => statement)
    prepare.mockRestore()

    expect(statements).toHaveLength(2)
    for (const statement of statements) {
      const plan = queries.$client
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(({ detail }) => detail)
      const searched = plan.filter((detail) => detail.startsWith('SEARCH'))
      expect(searched.map((detail) => detail.replace(/ USING .*\((.*)\)$/, ' by $1'))).toEqual([
        'SEARCH log_outs by email=?',
        'SEARCH erased_log_outs by trace=?',
        'SEARCH operator_grants by email=?',
        'SEARCH purchases by email=?',
        'SEARCH refunds by payment_intent_id=?',
        'SEARCH disputes by payment_intent_id=?',
      ])
      // Those have one row at most, or the purchases of the one address.
      const scanned = new Set(plan.filter((detail) => detail.startsWith('SCAN')))
      expect([...scanned]).toEqual(['SCAN log_out_epoch', 'SCAN common_log_out', 'SCAN bought'])
    }
  })

  test('is read once while nobody commits, and the digests are made only for that', async () => {
    const { store } = await openRemembering()
    let digests = 0
    const ask = (email: Email) =>
      store.access.findByEmail(email, () => {
        digests++
        return [DIGEST]
      })
    const facts = await ask(BERT)
    for (let times = 0; times < 10; times++) expect(await ask(BERT)).toBe(facts)
    expect(digests).toBe(1)

    await store.sweeps.recordRun('refunds', NOON)
    expect(await ask(BERT)).toEqual(facts)
    expect(digests).toBe(2)
  })

  test('is known at once when another connection has committed it', async () => {
    const { path, store } = await openRemembering()
    const other = sqliteStore(openTemporaryDatabase(path))
    const told: boolean[] = []
    for (const change of [
      () => other.refunds.update([FULL_REFUND], ORIGIN, mergeRefund),
      () => other.refunds.update([{ ...FULL_REFUND, state: 'failed' }], ORIGIN, mergeRefund),
      () => other.premiumGrants.revokeAll(ANNA, ORIGIN),
    ]) {
      await change()
      told.push(await premium(store), await premium(store))
    }
    expect(told).toEqual([false, false, true, true, false, false])

    await other.logOuts.update(ANNA, (epoch) => nextEpoch(epoch, NOON))
    const { epoch } = await find(store)
    expect(await find(store)).toMatchObject({ loggedOutIn: epoch })
    expect(epoch).toBeGreaterThan(NOON.getTime())
  })

  test('is known to the next question after a command of another process', async () => {
    const { path, store } = await openRemembering()
    const run = async (...words: readonly string[]) => {
      const env = {
        APP_ENV: 'development',
        DATABASE_URL: `sqlite:${path}`,
        STATE_DIRECTORY: temporaryFolder(),
      }
      const { exitCode, stderr } = Bun.spawnSync([...FROM_SOURCE, ...words], { env })
      expect({ exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 0 })
    }
    expect((await find(store)).loggedOutIn).toBeNull()
    await run('logout', ANNA)
    const { loggedOutIn, epoch } = await find(store)
    expect(loggedOutIn).toBe(epoch)

    expect(await premium(store)).toBe(true)
    await run('revoke', ANNA)
    expect(await premium(store)).toBe(false)

    expect(await premium(store, BERT)).toBe(false)
    await run('grant', BERT)
    expect(await premium(store, BERT)).toBe(true)
    await run('erase', BERT, '--yes')
    expect(await premium(store, BERT)).toBe(false)
    expect((await find(store, BERT)).epoch).toBeGreaterThan(epoch)
  })

  test('is what a restored backup says, which no service that runs lets in', async () => {
    const { path, database, store } = await openRemembering()
    const file = join(temporaryFolder(), 'backup.db')
    backUpDatabase({ databasePath: path, file })
    await store.premiumGrants.revokeAll(ANNA, ORIGIN)
    expect(await premium(store)).toBe(false)

    expect(() => prepareRestore({ databasePath: path, file })).toThrow(DatabaseInUse)
    expect(await premium(store)).toBe(false)

    database.close()
    const restore = prepareRestore({ databasePath: path, file })
    restore.carryOut(NOON)
    restore.end()
    expect(await expectOutage(find(store))).toBeNull()
    expect(await premium(sqliteStore(openTemporaryDatabase(path)))).toBe(true)
  })

  test('of a transaction that is open is not remembered past its rollback', async () => {
    const { database, store } = await openRemembering()
    const { $client } = database.queries
    let seen: Promise<boolean> | null = null
    const failing = database.write(() => {
      $client.run('UPDATE purchases SET revoked_at = 1')
      seen = premium(store)
      throw new Error('given up')
    })
    await expect(failing).rejects.toThrow('given up')
    expect(await seen!).toBe(false)
    expect(await premium(store)).toBe(true)

    await database.write(() => {
      seen = premium(store)
      $client.run('UPDATE purchases SET revoked_at = 1')
    })
    expect(await seen!).toBe(true)
    expect(await premium(store)).toBe(false)
  })

  test('is out of reach once the database is closed, though it is remembered', async () => {
    const { database, store } = await openRemembering()
    database.close()
    expect(await expectOutage(find(store))).toBeNull()
  })

  test('is out of reach once the database was found damaged, though it is remembered', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    openSqliteStore(path).close()
    const store = sqliteStore(openTemporaryDatabase(path))
    expect(await premium(store)).toBe(false)
    spoilTable(path, 'sweeps')
    expect(await premium(store)).toBe(false)

    expect(await expectOutage(store.sweeps.findLastRun('refunds'))).toBe('SQLITE_CORRUPT')
    expect(await expectOutage(find(store))).toBe('SQLITE_CORRUPT')
  })

  test('is never older than what is stored, whoever commits what in which order', async () => {
    const { path, store } = await openRemembering()
    const stores = [store, ...[1, 2].map(() => sqliteStore(openTemporaryDatabase(path)))]
    const findUnremembered = prepareFindAccess(openTemporaryDatabase(path).queries)
    const random = seededRandom(15)
    const emails = [ANNA, BERT]
    for (let step = 0; step < 150; step++) {
      const writer = random.pick(stores)
      const email = random.pick(emails)
      const id = `grant ${step}`
      const change = random.pick([
        () => writer.premiumGrants.add({ id, email }, ORIGIN),
        () => writer.premiumGrants.revokeAll(email, ORIGIN),
        () => writer.logOuts.update(email, (epoch) => nextEpoch(epoch, NOON)),
        () => writer.sweeps.recordRun('refunds', NOON),
        () => Promise.resolve(),
      ])
      await change()
      const reader = random.pick(stores)
      const asked = random.pick(emails)
      expect(await find(reader, asked)).toEqual(findUnremembered(asked, [DIGEST]))
    }
  })
})
