import { expect, spyOn, test } from 'bun:test'
import { sqliteRetention } from '../../../infrastructure/sqlite/retention.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'

/** What grows for as long as the service runs, or with every visitor; and by what it is found. */
const LARGE: Readonly<Record<string, string>> = {
  purchases: 'expires_at',
  outbox: 'ended_at',
  audit_entries: 'at',
  otps: 'expires_at',
  otp_mails: 'sent_at',
  otp_wrong_tries: 'tried_at',
  service_mails: 'sent_at',
  verifications: 'expires_at',
  log_outs: 'epoch',
  erased_log_outs: 'epoch',
  foreign_payments: 'stored_at',
}

test('what is old is found through an index that goes by its age, however much there is that is not', () => {
  const database = openTemporaryDatabase(':memory:')
  const client = database.queries.$client
  const prepare = spyOn(client, 'prepare')
  sqliteRetention(database)
  const statements = prepare.mock.calls.map(([statement]) => statement)
  prepare.mockRestore()

  for (const [table, age] of Object.entries(LARGE)) {
    const deletions = statements.filter((one) => one.startsWith(`DELETE FROM ${table} `))
    expect([table, deletions.length]).not.toEqual([table, 0])
    for (const statement of deletions) {
      const plan = client.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`).all()
      const byAge = expect.stringMatching(
        new RegExp(`^SEARCH ${table} USING .*INDEX .*\\b${age}[<>]\\?\\)$`),
      )
      expect(plan.map(({ detail }) => detail)).toContainEqual(byAge)
    }
  }
})
