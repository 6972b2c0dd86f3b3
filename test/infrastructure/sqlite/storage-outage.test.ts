import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Unavailable } from '../../../application/unavailable.ts'
import type { Epoch } from '../../../domain/log-out.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { openSqliteStore, sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON, NOON_EPOCH, ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase, REFUND } from '../../support/stores/contract-purchases.ts'
import { spoilTable } from '../../support/stores/database-faults.ts'
import {
  everyMethod,
  everyWrite,
  expectOutage,
  saveMessage,
} from '../../support/stores/every-method.ts'
import { findLogOut } from '../../support/stores/log-outs.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('a SQLite database that cannot do its part', () => {
  test('is unavailable to every method once it is closed, and to close it again is no fault', async () => {
    const store = openSqliteStore(join(temporaryFolder(), 'alibi.db'))
    store.close()
    store.close()

    for (const call of everyMethod(store)) await expectOutage(call())
  })

  test('is unavailable to every method that stores while another connection writes, and reads go on', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const writer = openTemporaryDatabase(path)
    const store = sqliteStore(openTemporaryDatabase(path, { busyTimeoutMs: 0 }))
    await store.logOuts.update(ANNA, () => NOON_EPOCH)
    await saveMessage(store)
    writer.queries.$client.run('BEGIN IMMEDIATE')

    for (const call of everyWrite(store)) expect(await expectOutage(call())).toBe('SQLITE_BUSY')
    expect(await findLogOut(store.access, ANNA)).toBe(NOON_EPOCH)

    writer.queries.$client.run('COMMIT')
    await store.logOuts.update(ANNA, () => (NOON_EPOCH + 1) as Epoch)
    expect(await findLogOut(store.access, ANNA)).toBe((NOON_EPOCH + 1) as Epoch)
  })

  test('waits for another connection to finish its write, and holds up nothing else meanwhile', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const [writer, waiting] = [openTemporaryDatabase(path), openTemporaryDatabase(path)]
    const store = sqliteStore(waiting)
    writer.queries.$client.run('BEGIN IMMEDIATE')

    const order: string[] = []
    const writes = Array.from({ length: 50 }, () =>
      store.logOuts.update(ANNA, () => NOON_EPOCH).then(() => order.push('written')),
    )
    expect(await findLogOut(store.access, ANNA)).toBeNull()
    order.push('read')
    writer.queries.$client.run('COMMIT')
    await Promise.all(writes)

    expect(order).toEqual(['read', ...Array<string>(50).fill('written')])
    expect(await findLogOut(store.access, ANNA)).toBe(NOON_EPOCH)
  })

  test('is unavailable to every method that stores when it may only be read, and reads go on', async () => {
    const database = openTemporaryDatabase()
    const store = sqliteStore(database)
    await saveMessage(store)
    database.queries.$client.run('PRAGMA query_only = ON')

    for (const call of everyWrite(store)) {
      expect(await expectOutage(call())).toBe('SQLITE_READONLY')
    }
    expect(await findLogOut(store.access, ANNA)).toBeNull()
  })

  test('is unavailable on a full disk, keeps what it has, and works again once there is room', async () => {
    const database = openTemporaryDatabase()
    const store = sqliteStore(database)
    await store.refunds.update([REFUND], ORIGIN, mergeRefund)
    const pages = Number(database.queries.$client.prepare('PRAGMA page_count').values()[0]?.[0])
    database.queries.$client.run(`PRAGMA max_page_count = ${pages}`)

    const long = { ...REFUND, id: 're_2', paymentIntentId: 'x'.repeat(100_000) }
    const full = store.refunds.update([long], ORIGIN, mergeRefund)
    expect(await expectOutage(full)).toBe('SQLITE_FULL')
    expect((await store.refunds.findById('re_1'))?.amount).toBe(100)

    database.queries.$client.run(`PRAGMA max_page_count = ${pages + 1000}`)
    await store.refunds.update([long], ORIGIN, mergeRefund)
    await store.refunds.update([REFUND], ORIGIN, () => ({ ...REFUND, amount: 200 }))
    expect((await store.refunds.findById('re_1'))?.amount).toBe(200)
  })

  test.each([
    ['is no database', 'SQLITE_NOTADB', (path: string) => writeFileSync(path, 'x'.repeat(8192))],
    ['is a folder', 'SQLITE_CANTOPEN', (path: string) => mkdirSync(path)],
    ['is below a file', 'EEXIST', (path: string) => writeFileSync(dirname(path), '')],
  ])('is unavailable when what its path names %s', (_kind, code, prepare) => {
    const path = join(temporaryFolder(), 'state', 'alibi.db')
    if (code !== 'EEXIST') mkdirSync(dirname(path))
    prepare(path)

    const failed = new Promise(() => openSqliteStore(path))
    return expect(expectOutage(failed)).resolves.toBe(code)
  })

  test('is unavailable when its file is cut off, and says that it is corrupt', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const store = openSqliteStore(path)
    await store.logOuts.update(ANNA, () => NOON_EPOCH)
    store.close()
    const bytes = new Uint8Array(await Bun.file(path).arrayBuffer())
    writeFileSync(path, bytes.slice(0, 4096))

    const failed = new Promise((resolve) => resolve(openSqliteStore(path)))
    expect(await expectOutage(failed)).toBe('SQLITE_CORRUPT')
  })

  test('is not opened to serve when a page deep inside it makes no sense', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    openSqliteStore(path).close()
    spoilTable(path, 'log_outs')

    const opened = new Promise((resolve) => resolve(openSqliteStore(path)))
    expect(await expectOutage(opened)).toMatch(/^(?:SQLITE_CORRUPT|DamagedDatabase)$/)
  })

  test('is unavailable to every method once it was found damaged, writes that would seem to succeed included', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    openSqliteStore(path).close()
    const told: unknown[] = []
    const onDamaged = (error: unknown) => void told.push(error)
    const store = sqliteStore(openTemporaryDatabase(path, { onDamaged }))
    spoilTable(path, 'log_outs')
    await store.sweeps.recordRun('refunds', NOON)
    expect(told).toEqual([])
    expect(await expectOutage(findLogOut(store.access, ANNA))).toBe('SQLITE_CORRUPT')

    for (const call of everyMethod(store)) expect(await expectOutage(call())).toBe('SQLITE_CORRUPT')
    expect(told).toHaveLength(1)
  })

  test('passes other faults of the database through as they are', async () => {
    const store = sqliteStore(openTemporaryDatabase())
    const unpaid = paidPurchase('one', { amountPaid: -1 })

    const refused = store.purchases.update(ANNA, ORIGIN, () => ({ purchase: unpaid }))
    await expect(refused).rejects.toThrow('CHECK')
    await expect(refused).rejects.not.toBeInstanceOf(Unavailable)
  })

  test.each([
    ['the database', { code: 'SQLITE_BUSY' }],
    ['the file system', { code: 'ENOSPC', syscall: 'write' }],
  ])('passes an error of the change through even when it looks like one of %s', async (_, own) => {
    const store = sqliteStore(openTemporaryDatabase())
    const lookalike = Object.assign(new Error('no room'), own)

    const refused = store.logOuts.update(ANNA, () => {
      throw lookalike
    })
    await expect(refused).rejects.toBe(lookalike)
  })
})
