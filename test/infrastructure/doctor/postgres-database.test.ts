import { expect, test } from 'bun:test'
import { checkPostgres } from '../../../application/doctor/postgres/check-postgres.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { draftMessage } from '../../../domain/outbox.ts'
import { probePostgres } from '../../../infrastructure/doctor/postgres.ts'
import { TABLES } from '../../../infrastructure/doctor/postgres-database.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { systemClock } from '../../../infrastructure/system-clock.ts'
import { ORIGIN } from '../../support/fakes.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { doctorQuestion } from '../../support/postgres/doctor-question.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { query } from '../../support/postgres/query.ts'
import { paidPurchase } from '../../support/stores/contract-purchases.ts'
import { MIGRATED, openTestDatabase, testBudget } from '../../support/stores/postgres-store.ts'

const HOUR = "interval '1 hour'"

const probe = (url: string) => probePostgres(doctorQuestion(url))

if (hasPostgres()) {
  test('a database of the service is well, every table of it', async () => {
    const { url } = await freshDatabase({ template: MIGRATED })
    const facts = await probe(url)
    const wrong = checkPostgres(facts).filter(({ level }) => level === 'warning')
    expect({ trouble: facts.trouble, wrong }).toEqual({
      trouble: null,
      wrong: [expect.objectContaining({ name: 'durability' })],
    })
    expect(facts.server?.content).toMatchObject({
      schema: { state: 'current' },
      rights: { lacking: [], foreignTables: [] },
      replicas: { live: [], isLed: false },
      work: { givenUp: [], oldestMessageMs: null, purchasesInReview: 0 },
    })
    const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`
    const names = (await query(url, tables)).map(({ relname }) => relname)
    expect(names.toSorted()).toEqual([...TABLES].toSorted())
  })

  test('what waits for the operator is found, by the clock of the database', async () => {
    const { url } = await freshDatabase({ template: MIGRATED })
    const store = postgresStore(openTestDatabase(url), { budget: testBudget() })
    const [paid, strange] = [paidPurchase('paid'), paidPurchase('strange')]
    const now = systemClock().now()
    await store.purchases.update(paid.email, ORIGIN, () => ({
      purchase: paid,
      messages: [draftMessage('payment_confirmed', paid, now)],
    }))
    await store.purchases.update(strange.email, ORIGIN, () => ({ purchase: strange }))
    await query(url, `UPDATE outbox SET created_at = clock_timestamp() - 3 * ${HOUR}`)
    await query(
      url,
      `UPDATE purchases SET state = 'review', review_reason = 'amount', amount_received = 1,
       paid_at = NULL, amount_paid = NULL, is_duplicate = NULL WHERE id = '${strange.id}'`,
    )
    const { server } = await probe(url)
    expect(server?.content?.work).toMatchObject({ givenUp: [], purchasesInReview: 1 })
    expect(server?.content?.work?.oldestMessageMs).toBeWithin(3 * HOUR_MS, 4 * HOUR_MS)

    await query(url, "UPDATE outbox SET state = 'given_up', due_at = NULL, ended_at = now()")
    const later = await probe(url)
    expect(later.server?.content?.work).toMatchObject({ givenUp: [paid.id], oldestMessageMs: null })
  })
}
