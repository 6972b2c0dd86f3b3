import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { emailOf, purchaseIdOf, sessionIdOf } from '../../bench/seed/addresses.ts'
import { fillWithBuyers } from '../../bench/seed/buyers.ts'
import { countPaid, openPurchases } from '../../bench/seed/open-purchases.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { migrateSqlite } from '../../infrastructure/sqlite/database.ts'
import { sqliteStore } from '../../infrastructure/sqlite/store.ts'
import { openTemporaryDatabase } from '../support/stores/stores.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const BUYERS = 3

function openFilled() {
  const path = join(temporaryFolder(), 'alibi.db')
  migrateSqlite(path)
  const shares: number[] = []
  fillWithBuyers(path, BUYERS, (share) => shares.push(share))
  return { path, shares, store: sqliteStore(openTemporaryDatabase(path)) }
}

test('every address that is filled in has premium, by a purchase in the books', async () => {
  const { store, shares } = openFilled()
  for (let number = 0; number < BUYERS; number++) {
    const { grants } = await store.purchases.findAccount(emailOf(number))
    expect(hasPremium(grants)).toBe(true)
    const entries = await store.auditTrail.findByEmail(emailOf(number))
    expect(entries).toMatchObject([{ reason: 'paid', isActive: true, grantId: grants[0]?.id }])
  }
  const { grants } = await store.purchases.findAccount(emailOf(BUYERS))
  expect(hasPremium(grants)).toBe(false)
  expect(shares.at(-1)).toBe(1)
})

test('a purchase that is opened can be paid, and one that nobody paid makes room for the next', async () => {
  const { path, store } = openFilled()
  openPurchases(path, { first: 10, amount: 2 })
  const open = await store.purchases.findBySessionId(sessionIdOf(11))
  expect(open).toMatchObject({ id: purchaseIdOf(11), state: 'open', email: emailOf(11) })
  openPurchases(path, { first: 20, amount: 1 })
  expect(await store.purchases.findBySessionId(sessionIdOf(11))).toBeNull()
  expect(await store.purchases.findBySessionId(sessionIdOf(20))).not.toBeNull()
  expect(countPaid(path)).toBe(BUYERS)
})
