import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { mergeDispute } from '../../../domain/dispute.ts'
import {
  beginAttempt,
  draftMessage,
  endMessage,
  OUTBOX_KINDS,
  type OutboxMessage,
} from '../../../domain/outbox.ts'
import { acceptDuplicate } from '../../../domain/purchase.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { inState, NOON, ORIGIN } from '../../support/fakes.ts'
import {
  ANNA,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../../support/stores/contract-purchases.ts'
import { openTemporaryDatabase, temporaryFolder } from '../../support/stores/stores.ts'

const PAID = paidPurchase('one')
const MESSAGE = draftMessage('payment_confirmed', PAID, NOON)
const DISPUTE = { id: 'du_1', paymentIntentId: 'pi_one', state: 'open', reportedAt: NOON } as const

/** Two connections to one file. */
function openTwo(options: { busyTimeoutMs?: number } = {}) {
  const path = join(temporaryFolder(), 'alibi.db')
  const databases = [openTemporaryDatabase(path), openTemporaryDatabase(path, options)] as const
  return { databases, stores: [sqliteStore(databases[0]), sqliteStore(databases[1])] as const }
}

function begin(message: OutboxMessage): OutboxMessage {
  return beginAttempt(message, NOON)
}

describe('the outbox of two processes on one SQLite file', () => {
  test('gives no message to both of them, however they take', async () => {
    const { stores } = openTwo()
    const count = 40
    for (let number = 0; number < count; number++) {
      const purchase = paidPurchase(`number ${number}`)
      const messages = [draftMessage('payment_confirmed', purchase, NOON)]
      await stores[0].purchases.update(ANNA, ORIGIN, () => ({ purchase, messages }))
    }

    const taken = await Promise.all(
      Array.from({ length: 2 * count }, (_, index) =>
        stores[index % 2]!.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin),
      ),
    )
    const keys = taken.flatMap((message) => (message ? [message.key] : []))
    expect(keys).toHaveLength(count)
    expect(new Set(keys).size).toBe(count)
  })

  test('waits for no other write while nothing is due', async () => {
    const { databases, stores } = openTwo({ busyTimeoutMs: 0 })
    const messages = [{ ...MESSAGE, dueAt: new Date(NOON.getTime() + 1) } as OutboxMessage]
    await stores[0].purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages }))
    databases[0].queries.$client.run('BEGIN IMMEDIATE')

    const taken = stores[1].outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin)
    expect(await taken).toBeNull()
  })
})

describe('a repeated report', () => {
  test('costs no write to the disk', async () => {
    const { databases, stores } = openTwo()
    const [store] = stores
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages: [MESSAGE] }))
    await store.refunds.update([REFUND], ORIGIN, mergeRefund)
    await store.disputes.update([DISPUTE], ORIGIN, mergeDispute)
    await store.premiumGrants.revokeAll(ANNA, ORIGIN)
    // Differs as soon as another connection has committed a changed page (https://www.sqlite.org/pragma.html).
    const dataVersion = databases[1].queries.$client.prepare('PRAGMA data_version')
    const version = () => dataVersion.values()[0]?.[0]
    const before = version()

    const again = [
      store.purchases.update(ANNA, ORIGIN, ({ purchases: [purchase] }) => ({
        purchase: purchase!,
        messages: [{ ...MESSAGE, attempts: 3 }],
      })),
      store.purchases.update(ANNA, ORIGIN, () => ({ purchase: null })),
      store.refunds.update([REFUND], ORIGIN, mergeRefund),
      store.refunds.update([], ORIGIN, mergeRefund),
      store.disputes.update([DISPUTE], ORIGIN, mergeDispute),
      store.premiumGrants.revokeAll(ANNA, ORIGIN),
      store.outbox.update(MESSAGE.key, (message) => message),
      store.outbox.takeDue({ kinds: ['payment_failed'], now: NOON }, begin),
      store.outbox.takeDue({ kinds: ['payment_confirmed'], now: NOON }, (message) => message),
    ]
    expect((await Promise.all(again)).length).toBe(9)
    expect(version()).toBe(before)

    await store.outbox.update(MESSAGE.key, (message) => endMessage(message, 'done', NOON))
    expect(version()).not.toBe(before)
  })
})

describe('the audit entries', () => {
  const TO_ERASED = "email = 'erased-1@alibi.invalid'"
  /** A change of every column there is. */
  const CHANGES: Readonly<Record<string, string>> = {
    id: '-id',
    at: 'at + 1',
    by_whom: "'page'",
    source: "'elsewhere'",
    grant_id: "grant_id || '1'",
    email: "'bert@example.com'",
    reason: "'granted'",
    object_id: "object_id || '1'",
    is_active: '1 - is_active',
  }

  /** Two entries of just now: the triggers go by the machine's clock. */
  async function openEntries(at = new Date(Date.now())) {
    const database = openTemporaryDatabase(':memory:')
    const store = sqliteStore(database)
    const cause = { ...ORIGIN, at }
    await store.purchases.update(ANNA, cause, () => ({ purchase: PAID }))
    await store.premiumGrants.revokeAll(ANNA, cause)
    const rows = () => database.queries.$client.query('SELECT * FROM audit_entries').all()
    expect(rows()).toHaveLength(2)
    return { client: database.queries.$client, rows }
  }

  test('have no column of which it is not tested that it stays', async () => {
    const { client } = await openEntries()
    const columns = client.query<{ name: string }, []>('PRAGMA table_info(audit_entries)').all()
    expect(columns.map(({ name }) => name)).toEqual(Object.keys(CHANGES))
  })

  test.each(Object.entries(CHANGES))('are never changed in their column %s', async (column, to) => {
    const { client, rows } = await openEntries()
    const before = rows()
    const change = `UPDATE audit_entries SET ${column} = ${to}`
    expect(() => client.run(change)).toThrow('an audit entry is never changed')
    expect(() => client.run(`${change} WHERE id = 1`)).toThrow('an audit entry is never changed')
    if (column !== 'email') {
      expect(() => client.run(`${change}, ${TO_ERASED}`)).toThrow('an audit entry is never changed')
    }
    expect(rows()).toEqual(before)
  })

  test('may lose their address to an erasure, once, and nothing else', async () => {
    const { client, rows } = await openEntries()
    const before = rows() as Record<string, unknown>[]
    client.run(`UPDATE audit_entries SET ${TO_ERASED}`)
    const email = 'erased-1@alibi.invalid'
    const erased = before.map((row) => ({ ...row, email }))
    expect(rows()).toEqual(erased)

    for (const other of ['anna@example.com', 'erased-2@alibi.invalid']) {
      const change = `UPDATE audit_entries SET email = '${other}'`
      expect(() => client.run(change)).toThrow('an audit entry is never changed')
    }
    expect(rows()).toEqual(erased)
  })

  test.each(['DELETE FROM audit_entries', 'DELETE FROM audit_entries WHERE id = 1'])(
    'are kept for three years, whatever happens: %s',
    async (statement) => {
      const threeYearsMs = 1095 * 86_400_000
      const young = await openEntries(new Date(Date.now() - threeYearsMs + 60_000))
      expect(() => young.client.run(statement)).toThrow('an audit entry is kept for three years')
      expect(young.rows()).toHaveLength(2)

      const old = await openEntries(new Date(Date.now() - threeYearsMs - 60_000))
      old.client.run(statement)
      expect(old.rows().length).toBeLessThan(2)
    },
  )
})

describe('the tables of payments', () => {
  test.each([
    ['paid without its facts', openPurchase('one'), "state = 'paid'"],
    ['paid without knowing whether it is one too many', PAID, 'is_duplicate = NULL'],
    ['paid, with an amount to review', PAID, 'amount_received = 400'],
    [
      'put aside without what came',
      inState(openPurchase('one'), 'review'),
      'amount_received = NULL',
    ],
    ['open, though one too many', openPurchase('one'), 'is_duplicate = 0'],
    ['in no language', PAID, "language = ''"],
    ['revoked, though not paid', openPurchase('one'), 'revoked_at = 1'],
  ])('take no purchase that is %s', async (_, purchase, change) => {
    const database = openTemporaryDatabase()
    const store = sqliteStore(database)
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase }))

    expect(() => database.queries.$client.run(`UPDATE purchases SET ${change}`)).toThrow('CHECK')
  })

  test.each([
    ["state = 'done'"],
    ['due_at = NULL'],
    ['ended_at = 1'],
    ["kind = 'newsletter'"],
    ["state = 'lost', due_at = NULL, ended_at = 1"],
    ['attempts = -1'],
  ])('take no message with %s', async (change) => {
    const database = openTemporaryDatabase()
    const store = sqliteStore(database)
    const messages = [MESSAGE]
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages }))

    expect(() => database.queries.$client.run(`UPDATE outbox SET ${change}`)).toThrow('CHECK')
  })

  test('keep a payment that is one too many no longer', async () => {
    const store = sqliteStore(openTemporaryDatabase())
    const duplicate = paidPurchase('one', { isDuplicate: true })
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: duplicate }))
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: acceptDuplicate(duplicate) }))

    expect(await store.purchases.findById(duplicate.id)).toEqual(PAID)
  })
})
