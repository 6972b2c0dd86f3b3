import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../domain/duration.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'

const PAID = paidPurchase('one')

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
      const threeYearsMs = 1095 * DAY_MS
      const young = await openEntries(new Date(Date.now() - threeYearsMs + HOUR_MS))
      expect(() => young.client.run(statement)).toThrow('an audit entry is kept for three years')
      expect(young.rows()).toHaveLength(2)

      const old = await openEntries(new Date(Date.now() - threeYearsMs - HOUR_MS))
      old.client.run(statement)
      expect(old.rows().length).toBeLessThan(2)
    },
  )
})
