import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportEmail } from '../../../application/customers/export-email.ts'
import type { Email } from '../../../domain/email.ts'
import { type ErasedEmailDigest, erasedEmail } from '../../../domain/erasure.ts'
import { EMPTY_OTP_RECORD, type OtpSeed } from '../../../domain/otp.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { fixedClock, NOON, NOON_EPOCH, ORIGIN } from '../../support/fakes.ts'
import { ANNA, BERT, paidPurchase } from '../../support/stores/contract-purchases.ts'
import {
  columnsOf,
  IMPERSONAL,
  insertRows,
  rowsAbout,
  rowsWith,
} from '../../support/stores/stored-persons.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ERASURE = { name: erasedEmail('1'), digests: ['trace' as ErasedEmailDigest], origin: ORIGIN }
const nothingMore = () => ({ closed: [], epoch: NOON_EPOCH })

/** What an export leaves out, and why. */
const NOT_EXPORTED: Readonly<Record<string, string>> = {
  'otps.seed': 'the digits are derived from it',
  'otps.role': 'how two codes share the table',
  'otp_mails.mailbox': 'it stands for other addresses, too',
  'otp_mails.position': 'the order in which they are exported',
  'otp_wrong_tries.position': 'the order in which they are exported',
  'verifications.code_challenge': 'whoever knows it could look for its verifier',
  'verifications.epoch': 'only tells it from log-outs before and after it',
  'audit_entries.id': 'the order in which they are exported',
}

function openFilled() {
  const database = openTemporaryDatabase(':memory:')
  const client = database.queries.$client
  insertRows(client, rowsAbout(ANNA, 1))
  insertRows(client, rowsAbout(BERT, 2))
  return { client, store: sqliteStore(database) }
}

describe('the tests of export and erase', () => {
  test('know every table, and every column of those that hold something about a person', () => {
    const { client } = openFilled()
    const personal = Object.entries(columnsOf(client)).filter(
      ([table]) => !IMPERSONAL.includes(table),
    )
    const known = Object.entries(rowsAbout(ANNA)).map(([table, row]) => [table, Object.keys(row)])
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(personal))
  })

  test('pass over no column that could hold an address', () => {
    const { client } = openFilled()
    const columns = columnsOf(client)
    const suspicious = IMPERSONAL.flatMap((table) => columns[table] ?? []).filter((column) =>
      /mail|address|name|customer|user|person/.test(column),
    )
    // Those of sweeps and migrations.
    expect(suspicious).toEqual(['name', 'name'])
  })
})

describe('an export', () => {
  test('has every value of every row about the address, but for what would be a secret or says nothing', async () => {
    const { store } = openFilled()
    const exported = await exportEmail({ ...store, clock: fixedClock() }, ANNA)
    const leaves = new Set(leavesOf(JSON.parse(JSON.stringify(exported))))

    for (const [table, row] of Object.entries(rowsAbout(ANNA, 1))) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null) continue
        const place = `${table}.${column}`
        const isExported = leaves.has(exportedForm(column, value))
        expect([place, isExported]).toEqual([place, !(place in NOT_EXPORTED)])
      }
    }
  })

  test('has nothing of anybody else', async () => {
    const { store } = openFilled()
    const exported = await exportEmail({ ...store, clock: fixedClock() }, ANNA)
    const text = JSON.stringify(exported)
    expect(text).toContain('_1')
    expect(text).not.toContain(BERT)
    expect(text).not.toMatch(/_2\d{3}\b/)
  })
})

describe('an erasure', () => {
  test('leaves no row with the address in any table, and everybody else as they were', async () => {
    const { client, store } = openFilled()
    const others = rowsWith(client, BERT)
    const before = rowsWith(client, ANNA)
    expect(before).toHaveLength(others.length)
    expect(new Set(before.map((row) => row.split(':')[0])).size).toBe(before.length)

    expect(await store.personalData.erase(ANNA, ERASURE, nothingMore)).toEqual({
      purchases: 1,
      operatorGrants: 1,
      refunds: 1,
      disputes: 1,
      messages: 1,
      auditEntries: 1,
      sandboxSessions: 1,
    })
    expect(rowsWith(client, ANNA)).toEqual([])
    expect(rowsWith(client, 'anna')).toEqual([])
    expect(rowsWith(client, BERT)).toEqual(others)
  })

  test('keeps what the books need, in every column but the address', async () => {
    const { client, store } = openFilled()
    await store.personalData.erase(ANNA, ERASURE, nothingMore)
    const kept = ['purchases', 'operator_grants', 'outbox', 'audit_entries', 'refunds', 'disputes']
    for (const table of kept) {
      const row = rowsAbout(ANNA, 1)[table]!
      const name = 'email' in row ? { email: ERASURE.name } : {}
      const [key = ''] = Object.keys(row)
      const stored = client.query(`SELECT * FROM ${table} WHERE ${key} = ?`).all(row[key]!)
      expect(stored).toEqual([{ ...row, ...name }])
    }
  })

  test('is undone as a whole where any of its steps fails', async () => {
    const tables = Object.keys(rowsAbout(ANNA)).filter(
      (table) => table !== 'refunds' && table !== 'disputes',
    )
    for (const table of [...tables, 'erased_log_outs']) {
      const { client, store } = openFilled()
      client.run(
        `CREATE TEMP TRIGGER fault BEFORE ${faultyStep(table)} ON main.${table}
         BEGIN SELECT RAISE(ABORT, 'out of order'); END`,
      )
      const before = rowsWith(client, '')
      const erased = store.personalData.erase(ANNA, ERASURE, nothingMore)
      await expect(erased).rejects.toThrow('out of order')
      expect(rowsWith(client, '')).toEqual(before)
    }
  })

  test('leaves nothing of the address in the files, be they large and often written', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const database = openTemporaryDatabase(path)
    const client = database.queries.$client
    const store = sqliteStore(database)
    const email = 'somebody.to.forget@example.com' as Email
    // Codes come and go among those of many others, so that pages split, are joined and are reused.
    for (let round = 0; round < 6; round++) {
      client.run('BEGIN')
      for (let other = 0; other < 300; other++) {
        writeCode(client, `${(other * 7919) % 1000}-other@example.com`, round)
        if (other % 25 === 0) writeCode(client, email, round * 1000 + other)
      }
      client.run(`DELETE FROM otps WHERE email LIKE '${round}%'`)
      client.run('COMMIT')
    }
    client.run('DELETE FROM otps WHERE email = ?', [email])
    insertRows(client, rowsAbout(email, 3))
    for (let number = 0; number < 40; number++) {
      const purchase = paidPurchase(`pur_more_${number}`, { email })
      await store.purchases.update(email, ORIGIN, () => ({ purchase }))
      const other = { ...paidPurchase(`pur_other_${number}`), email: BERT }
      await store.purchases.update(BERT, ORIGIN, () => ({ purchase: other }))
    }
    expect(occurrences(path, email)).toBeGreaterThan(100)

    await store.personalData.erase(email, ERASURE, nothingMore)
    expect(occurrences(path, email)).toBe(0)
    expect(occurrences(path, 'somebody.to.forget')).toBe(0)
    expect(occurrences(path, BERT)).toBeGreaterThan(0)
  })

  test('is done, though another process reads an older state of the database', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const readingDatabase = openTemporaryDatabase(path)
    const reader = readingDatabase.queries.$client
    const database = openTemporaryDatabase(path)
    const client = database.queries.$client
    insertRows(client, rowsAbout(ANNA, 1))
    reader.run('BEGIN')
    const read = () => rowsWith(reader, ANNA).length
    const before = read()

    const store = sqliteStore(database)
    expect(await store.personalData.erase(ANNA, ERASURE, nothingMore)).not.toBeNull()
    expect(rowsWith(client, ANNA)).toEqual([])
    expect(read()).toBe(before)
    reader.run('COMMIT')
    expect(read()).toBe(0)
    // With the last process goes the log, in which the older state still was.
    database.close()
    readingDatabase.close()
    expect(occurrences(path, ANNA)).toBe(0)
  })
})

test('a code that is replaced leaves nothing behind in the file either', async () => {
  const path = join(temporaryFolder(), 'alibi.db')
  const database = openTemporaryDatabase(path)
  const { otps } = sqliteStore(database)
  const seed = 'a-seed-of-which-nothing-may-stay' as OtpSeed
  const current = { seed, issuedAt: NOON, expiresAt: NOON, attemptsLeft: 5 }
  await otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
    record: { ...record, current },
  }))
  expect(occurrences(path, seed)).toBeGreaterThan(0)
  await otps.update({ email: ANNA, sender: 'stranger' }, () => ({ record: EMPTY_OTP_RECORD }))
  database.close()
  expect(occurrences(path, seed)).toBe(0)
})

function writeCode(
  client: ReturnType<typeof openTemporaryDatabase>['queries']['$client'],
  email: string,
  number: number,
): void {
  client.run("INSERT OR REPLACE INTO otps VALUES (?, 'stranger', 'current', ?, 0, ?, 5)", [
    email,
    `seed ${number}`.padEnd(number % 60, '.'),
    number,
  ])
  client.run("INSERT OR REPLACE INTO otp_mails VALUES (?, 'stranger', ?, ?, NULL, NULL)", [
    email,
    number % 20,
    number,
  ])
}

/** How often a text stands in the database file and its log, as the disk has them. */
function occurrences(path: string, text: string): number {
  return ['', '-wal']
    .map((suffix) => path + suffix)
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + readFileSync(file, 'latin1').split(text).length - 1, 0)
}

/** The statement of an erasure that touches the table. */
function faultyStep(table: string): 'DELETE' | 'UPDATE' | 'INSERT' {
  if (table === 'erased_log_outs') return 'INSERT'
  const isDeleted = table.startsWith('otp') || table === 'verifications' || table === 'log_outs'
  return isDeleted ? 'DELETE' : 'UPDATE'
}

/** A stored value as JSON shows it. */
function exportedForm(column: string, value: string | number): unknown {
  if (typeof value === 'string') return value
  const isMoment = column === 'at' || column === 'epoch' || column.endsWith('_at')
  if (isMoment) return new Date(value).toISOString()
  return column === 'live' || column.startsWith('is_') ? value === 1 : value
}

function leavesOf(value: unknown): readonly unknown[] {
  return value !== null && typeof value === 'object'
    ? Object.values(value).flatMap(leavesOf)
    : [value]
}
