import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { mergeDispute } from '../../../domain/dispute.ts'
import {
  beginAttempt,
  draftMessage,
  endMessage,
  type OutboxMessage,
} from '../../../domain/outbox.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON, ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase, REFUND } from '../../support/stores/contract-purchases.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PAID = paidPurchase('one')
const MESSAGE = draftMessage('payment_confirmed', PAID, NOON)
const DISPUTE = { id: 'du_1', paymentIntentId: 'pi_one', state: 'open', reportedAt: NOON } as const

function begin(message: OutboxMessage): OutboxMessage {
  return beginAttempt(message, NOON)
}

describe('what is told again', () => {
  test('costs no write to the disk', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const store = sqliteStore(openTemporaryDatabase(path))
    const other = openTemporaryDatabase(path)
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages: [MESSAGE] }))
    await store.refunds.update([REFUND], ORIGIN, mergeRefund)
    await store.disputes.update([DISPUTE], ORIGIN, mergeDispute)
    await store.premiumGrants.revokeAll(ANNA, ORIGIN)
    // Differs as soon as another connection has committed a changed page (https://www.sqlite.org/pragma.html).
    const dataVersion = other.queries.$client.prepare('PRAGMA data_version')
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
