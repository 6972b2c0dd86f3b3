import { expect, spyOn, test } from 'bun:test'
import { sqliteRetention } from '../../../infrastructure/sqlite/retention.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'

/** What grows for as long as the service runs. The rest is as large as what happened in some days. */
const LARGE = ['purchases', 'outbox', 'audit_entries', 'otp_wrong_tries']

test('what is old is found through an index that goes by its age, however much there is that is not', () => {
  const database = openTemporaryDatabase(':memory:')
  const client = database.queries.$client
  const prepare = spyOn(client, 'prepare')
  sqliteRetention(database)
  const statements = prepare.mock.calls.map(([statement]) => statement)
  prepare.mockRestore()

  for (const table of LARGE) {
    const [statement = ''] = statements.filter((one) => one.startsWith(`DELETE FROM ${table} `))
    const plan = client.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`).all()
    const byAge = expect.stringMatching(new RegExp(`^SEARCH ${table} .*\\b(?:\\w+_)?at<\\?\\)$`))
    expect(plan.map(({ detail }) => detail)).toContainEqual(byAge)
  }
})
