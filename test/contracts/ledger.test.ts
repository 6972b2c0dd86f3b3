import { describe, expect, test } from 'bun:test'
import type { Store } from '../../application/store.ts'
import { LEDGER_PARTS } from '../../application/store.ts'
import { auditInBackground } from '../../application/upkeep/audit-ledger.ts'
import { mergeDispute } from '../../domain/dispute.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { Origin } from '../../domain/grant-change.ts'
import { DISCREPANCY_KINDS } from '../../domain/ledger.ts'
import { draftMessage, endMessage } from '../../domain/outbox.ts'
import { closePurchase } from '../../domain/purchase.ts'
import { mergeRefund } from '../../domain/refund.ts'
import { fixedClock, NOON, ORIGIN, recordingLog } from '../support/fakes.ts'
import { checkLedger, findDiscrepancies } from '../support/payments/sound-ledger.ts'
import { recordingTelemetry } from '../support/recording-telemetry.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../support/stores/contract-purchases.ts'
import { EDITED_DATABASES } from '../support/stores/edited-databases.ts'
import { STORES } from '../support/stores/stores.ts'

const DISPUTE = {
  id: 'du_1',
  paymentIntentId: 'pi_one',
  state: 'inquiry',
  reportedAt: NOON,
} as const
const HOUR_LATER: Origin = { ...ORIGIN, at: new Date(NOON.getTime() + HOUR_MS) }

/**
 * Anna has paid for `one`, of which a part went back and the bank has a question, and for `two`, which was one too
 * many. Bert has `gift` by hand, and left a page open. Another shop's payment was refunded.
 */
async function fillShop(store: Store): Promise<void> {
  const one = paidPurchase('one')
  const two = paidPurchase('two', { isDuplicate: true })
  const at = { ...ORIGIN, at: one.state === 'paid' ? one.paidAt : NOON, by: 'webhook' } as const
  await store.purchases.update(ANNA, at, () => ({
    purchase: one,
    messages: [draftMessage('payment_confirmed', one, at.at)],
  }))
  await store.purchases.update(ANNA, at, () => ({
    purchase: two,
    messages: [draftMessage('duplicate_refund', two, at.at)],
  }))
  await store.purchases.update(BERT, at, () => ({
    purchase: openPurchase('open', { email: BERT, sessionId: 'cs_open' }),
  }))
  await store.refunds.update([REFUND], HOUR_LATER, mergeRefund)
  await store.refunds.update([{ ...REFUND, state: 'succeeded' }], HOUR_LATER, mergeRefund)
  await store.disputes.update([DISPUTE], HOUR_LATER, mergeDispute)
  await store.premiumGrants.add({ id: 'gift', email: BERT }, HOUR_LATER)
  const foreign = { ...REFUND, id: 're_foreign', paymentIntentId: 'pi_foreign' }
  await store.refunds.update([foreign], HOUR_LATER, mergeRefund)
}

function clockAfter(ms: number) {
  return fixedClock(new Date(NOON.getTime() + ms))
}

describe.each(STORES)('Ledger on %s', (_, open) => {
  test('fits together where nothing is, and after what the service itself stores', async () => {
    const store = await open()
    const ports = { ...store, clock: clockAfter(DAY_MS) }
    await checkLedger(ports)

    await fillShop(store)
    await checkLedger(ports)
    await store.premiumGrants.revokeAll(ANNA, HOUR_LATER)
    await store.premiumGrants.revokeAll(BERT, HOUR_LATER)
    await checkLedger(ports)
  })

  test('reads every part in pages, each record once and in the order of the ids', async () => {
    const store = await open()
    await fillShop(store)
    for (const part of LEDGER_PARTS) {
      const all = await store.ledger.list(part, { after: null, limit: 100 })
      expect(all.length).toBeGreaterThan(0)
      const single: unknown[] = []
      for (let after: string | null = null; ; ) {
        const [record] = await store.ledger.list(part, { after, limit: 1 })
        if (!record) break
        single.push(record)
        after = record.id
      }
      expect(single).toEqual([...all])
    }
  })

  test('knows the reversals of a payment that its purchase has left for the one that was paid', async () => {
    const store = await open()
    const begun = openPurchase('one', { state: 'processing', paymentIntentId: 'pi_left' })
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: begun }))
    const refund = { ...REFUND, paymentIntentId: 'pi_left' }
    await store.refunds.update([refund], ORIGIN, mergeRefund)
    const paid = paidPurchase('one')
    const messages = [draftMessage('payment_confirmed', paid, NOON)]
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: paid, messages }))

    await checkLedger({ ...store, clock: clockAfter(HOUR_MS) })
    await store.retention.prune('foreign_reversals', { upTo: HOUR_LATER.at, limit: 10 })
    expect(await store.refunds.findById(refund.id)).toBeNull()
  })

  test('does not ask for mails that a purchase has none of', async () => {
    const store = await open()
    const clock = clockAfter(DAY_MS)
    const restored = paidPurchase('restored', { createdAt: new Date(NOON.getTime() - 2 * DAY_MS) })
    const returned = paidPurchase('returned')
    const refund = { ...REFUND, paymentIntentId: 'pi_returned', amount: 400 }
    await store.refunds.update([refund], ORIGIN, mergeRefund)
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: restored }))
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: returned }))
    await checkLedger({ ...store, clock })

    // The bank sent it back since.
    await store.refunds.update([{ ...refund, state: 'failed' }], HOUR_LATER, mergeRefund)
    await checkLedger({ ...store, clock })
  })

  test('misses no message that was pruned, and no mail of a purchase that was', async () => {
    const store = await open()
    await fillShop(store)
    const failed = openPurchase('failed', { email: BERT, state: 'processing' })
    await store.purchases.update(BERT, ORIGIN, () => ({ purchase: failed }))
    await store.purchases.update(BERT, ORIGIN, () => ({
      purchase: closePurchase(failed),
      messages: [draftMessage('payment_failed', failed, NOON)],
    }))
    const upTo = new Date(NOON.getTime() + 91 * DAY_MS)
    expect(await store.retention.prune('unpaid_purchases', { upTo, limit: 10 })).toBe(1)
    await checkLedger({ ...store, clock: clockAfter(DAY_MS) })

    for (const purchase of [paidPurchase('one'), paidPurchase('two')]) {
      for (const { key } of await store.outbox.findByPurchase(purchase.id)) {
        await store.outbox.update(key, (message) => endMessage(message, 'done', HOUR_LATER.at))
      }
    }
    expect(await store.retention.prune('messages', { upTo, limit: 10 })).toBe(2)
    await checkLedger({ ...store, clock: clockAfter(91 * DAY_MS) })
  })
})

/** What a hand does to the database of the shop, and what is found by it. */
const EDITS: readonly (readonly [what: string, sql: string, ...found: string[]])[] = [
  [
    'a grant that nobody gave',
    "INSERT INTO operator_grants (id, email, granted_at) SELECT 'forged', email, granted_at FROM operator_grants",
    'grant_without_cause forged',
  ],
  [
    'an operator whose entry is gone',
    "DELETE FROM audit_entries WHERE grant_id = 'gift'",
    'grant_without_cause gift',
  ],
  [
    'a purchase that nobody paid',
    `UPDATE purchases SET state = 'paid', amount_paid = 400, is_duplicate = false, session_id = NULL,
      paid_at = (SELECT paid_at FROM purchases WHERE id = 'one') WHERE id = 'open'`,
    'grant_without_cause open',
    'confirmation_missing open',
    'entry_missing open',
  ],
  [
    'a payment that gives nothing any more',
    "UPDATE purchases SET state = 'closed', paid_at = NULL, amount_paid = NULL, is_duplicate = NULL WHERE id = 'one'",
    'message_without_cause payment_confirmed:one',
    'payment_without_grant one',
    'entry_without_cause',
    'entry_without_cause',
    'entry_without_cause',
  ],
  [
    'a purchase that is gone',
    "DELETE FROM purchases WHERE id = 'one'",
    'reversal_without_purchase re_1',
    'reversal_without_purchase du_1',
    'message_without_cause payment_confirmed:one',
    'payment_without_grant one',
    'entry_without_cause',
    'entry_without_cause',
    'entry_without_cause',
  ],
  [
    'a refund of a payment that nobody knows',
    "INSERT INTO refunds (id, payment_intent_id, amount, state) VALUES ('re_x', 'pi_x', 1, 'pending')",
    'reversal_without_purchase re_x',
  ],
  [
    'a refund that nobody reported',
    "INSERT INTO refunds (id, payment_intent_id, amount, state) VALUES ('re_x', 'pi_one', 1, 'pending')",
    'entry_missing one',
  ],
  [
    'a refund that is gone',
    "DELETE FROM refunds WHERE id = 're_1'",
    'entry_without_cause',
    'entry_without_cause',
  ],
  [
    'a refund that has gone back in time',
    "UPDATE refunds SET state = 'pending' WHERE id = 're_1'",
    'entry_without_cause',
  ],
  [
    'a dispute that nobody reported as lost',
    "UPDATE disputes SET state = 'lost' WHERE id = 'du_1'",
    'entry_missing one',
  ],
  [
    'a mail that was never stored',
    "DELETE FROM outbox WHERE purchase_id = 'one'",
    'confirmation_missing one',
  ],
  [
    'a mail about another amount',
    "UPDATE outbox SET amount = 399 WHERE purchase_id = 'one'",
    'message_without_cause payment_confirmed:one',
  ],
  [
    'a mail to another address',
    "UPDATE outbox SET email = 'eve@example.com' WHERE purchase_id = 'one'",
    'message_without_cause payment_confirmed:one',
  ],
  [
    'a mail about a page that is open',
    "UPDATE outbox SET purchase_id = 'open', key = 'payment_confirmed:open' WHERE purchase_id = 'one'",
    'confirmation_missing one',
    'message_without_cause payment_confirmed:open',
  ],
  [
    'a payment without an entry',
    "DELETE FROM audit_entries WHERE grant_id = 'two'",
    'entry_missing two',
  ],
  [
    'access that was taken by nobody',
    "UPDATE purchases SET revoked_at = paid_at WHERE id = 'two'",
    'entry_missing two',
  ],
  [
    'access that was given back by nobody',
    `INSERT INTO audit_entries (at, by_whom, grant_id, email, reason, object_id, is_active)
      SELECT at, by_whom, grant_id, email, 'revoked', grant_id, is_active
      FROM audit_entries WHERE grant_id = 'two'`,
    'entry_without_cause',
  ],
  [
    'a grant of another address',
    "UPDATE operator_grants SET email = 'eve@example.com' WHERE id = 'gift'",
    'grant_without_cause gift',
    'entry_without_cause',
  ],
  [
    'an entry that says the opposite',
    "UPDATE audit_entries SET is_active = NOT is_active WHERE grant_id = 'gift'",
    'access_differs gift',
  ],
  [
    'an amount that was set up to what went back',
    "UPDATE purchases SET amount_paid = 100, price_amount = 100 WHERE id = 'one'",
    'message_without_cause payment_confirmed:one',
    'access_differs one',
  ],
]

describe.each(EDITED_DATABASES)('the audit on %s', (_, open) => {
  test.each(EDITS)('finds %s', async (_what, sql, ...found) => {
    const { store, edit } = await open()
    await fillShop(store)
    const ports = { ...store, clock: clockAfter(DAY_MS) }
    await checkLedger(ports)

    await edit(sql)
    const discrepancies = await findDiscrepancies(ports)
    const lines = discrepancies.map(({ kind, id }) =>
      // Entries have numbers, which are nobody's concern here.
      kind === 'entry_without_cause' ? kind : `${kind} ${id}`,
    )
    expect(lines.toSorted()).toEqual(found.toSorted())
    expect(JSON.stringify(discrepancies)).not.toContain('@')
  })

  test('takes grants for granted that are older than the audit trail and the outbox', async () => {
    const { store, edit } = await open()
    await fillShop(store)
    await edit("DELETE FROM audit_entries WHERE grant_id = 'two'")
    await edit("DELETE FROM audit_entries WHERE grant_id = 'one' AND reason = 'paid'")
    await edit("DELETE FROM outbox WHERE purchase_id = 'one'")
    const ports = { ...store, clock: clockAfter(DAY_MS) }
    // The first entry that is left is of an hour later, and the tables were made only now.
    await checkLedger(ports)
  })

  test('does not ask for entries that were pruned', async () => {
    const { store, edit } = await open()
    await fillShop(store)
    await edit('DELETE FROM audit_entries')
    const forged = clockAfter(DAY_MS)
    await edit("DELETE FROM schema_migrations WHERE name IN ('0001_init', '0002_payments')")
    expect((await findDiscrepancies({ ...store, clock: forged })).length).toBeGreaterThan(0)
    await checkLedger({ ...store, clock: clockAfter(1100 * DAY_MS) })
  })
})

test('every kind of discrepancy is made by hand here', () => {
  const made = EDITS.flatMap(([, , ...found]) => found.map((line) => line.split(' ')[0] ?? ''))
  expect([...new Set(made)].toSorted()).toEqual([...DISCREPANCY_KINDS].toSorted())
})

describe.each(EDITED_DATABASES)('the audit in the background on %s', (_, open) => {
  test('tells the log and the monitoring, and keeps when it was', async () => {
    const { store, edit } = await open()
    await fillShop(store)
    const telemetry = recordingTelemetry()
    const log = recordingLog()
    const clock = clockAfter(DAY_MS)
    const ports = { ...store, clock, log, telemetry }
    const walk = { pause: async () => clock.advance(MINUTE_MS), stopping: { aborted: false } }
    await auditInBackground(ports, walk)
    expect(log.lines).toMatchObject([{ event: 'audit.ended', fields: { discrepancies: 0 } }])

    await edit("DELETE FROM outbox WHERE purchase_id = 'one'")
    await auditInBackground(ports, walk)
    expect(log.lines.slice(1)).toMatchObject([
      {
        event: 'audit.discrepancy',
        level: 'error',
        fields: { kind: 'confirmation_missing', id: 'one' },
      },
      { event: 'audit.ended', fields: { discrepancies: 1 } },
    ])
    expect(telemetry.of('audit_ended').map(({ counts }) => counts)).toMatchObject([
      { confirmation_missing: 0 },
      { confirmation_missing: 1, entry_missing: 0 },
    ])
    expect(await store.sweeps.findLastRun('audit')).toEqual(clock.now())
  })

  test('counts for nothing where it was cut short', async () => {
    const { store } = await open()
    const telemetry = recordingTelemetry()
    const ports = { ...store, clock: clockAfter(0), log: recordingLog(), telemetry }
    await auditInBackground(ports, { pause: async () => {}, stopping: { aborted: true } })
    expect(telemetry.events).toEqual([])
    expect(await store.sweeps.findLastRun('audit')).toBeNull()
  })
})
