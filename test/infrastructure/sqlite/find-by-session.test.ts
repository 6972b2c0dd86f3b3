import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'
import { expectOutage } from '../../support/stores/every-method.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Two connections to one file, in which Anna has paid, and the first one remembers that. */
async function open() {
  const path = join(temporaryFolder(), 'alibi.db')
  const [database, otherDatabase] = [openTemporaryDatabase(path), openTemporaryDatabase(path)]
  const [store, other] = [sqliteStore(database), sqliteStore(otherDatabase)]
  await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))
  const find = () => store.purchases.findBySessionId('cs_one')
  expect(await find()).toEqual(paidPurchase('one'))
  return { database, other, find }
}

test('a session is read once while nobody commits', async () => {
  const { other, find } = await open()
  const purchase = await find()
  expect(await find()).toBe(purchase)
  await other.sweeps.recordRun('refunds', ORIGIN.at)
  expect(await find()).not.toBe(purchase)
  expect(await find()).toEqual(purchase)
})

test('a change by another connection is known at once', async () => {
  const { other, find } = await open()
  await other.premiumGrants.revokeAll(ANNA, ORIGIN)
  expect(await find()).toEqual(paidPurchase('one', { revokedAt: ORIGIN.at }))
})

test('a session is out of reach once the database is closed, though it is remembered', async () => {
  const { database, find } = await open()
  database.close()
  expect(await expectOutage(find())).toBeNull()
})
