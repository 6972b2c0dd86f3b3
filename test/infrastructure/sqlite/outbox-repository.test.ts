import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  beginAttempt,
  draftMessage,
  OUTBOX_KINDS,
  type OutboxMessage,
} from '../../../domain/outbox.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON, ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PAID = paidPurchase('one')
const MESSAGE = draftMessage('payment_confirmed', PAID, NOON)

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

  test('waits for nobody’s write while nothing is due', async () => {
    const { databases, stores } = openTwo({ busyTimeoutMs: 0 })
    const messages = [{ ...MESSAGE, dueAt: new Date(NOON.getTime() + 1) } as OutboxMessage]
    await stores[0].purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages }))
    databases[0].queries.$client.run('BEGIN IMMEDIATE')

    const taken = stores[1].outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin)
    expect(await taken).toBeNull()
  })
})
