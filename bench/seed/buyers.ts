import { Database } from 'bun:sqlite'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { emailOf, eventIdOf, paymentIntentIdOf, purchaseIdOf, sessionIdOf } from './addresses.ts'
import { PRICE } from './price.ts'

/** Over so long the purchases are spread, up to yesterday. */
const HISTORY_MS = 700 * DAY_MS
const CACHE_KIBIBYTES = 2_000_000
const STEP = 10_000

const INSERT_PURCHASE = `INSERT INTO purchases (
  id, email, language, price_amount, price_currency, live, state, created_at, expires_at,
  session_id, payment_intent_id, paid_at, amount_paid, is_duplicate
) VALUES (?1, ?2, 'en', ?3, ?4, 0, 'paid', ?5, ?6, ?7, ?8, ?9, ?3, 0)`

const INSERT_AUDIT_ENTRY = `INSERT INTO audit_entries (
  at, by_whom, source, grant_id, email, reason, object_id, is_active
) VALUES (?1, 'webhook', ?2, ?3, ?4, 'paid', ?3, 1)`

/**
 * Stores for each address what the service has stored of it some time after it has paid: a purchase, and an entry of
 * the audit trail. Calls `onProgress` with the share that is done.
 */
export function fillWithBuyers(
  path: string,
  addresses: number,
  onProgress: (share: number) => void,
): void {
  const client = new Database(path)
  // In place of the write-ahead log, which would hold all of it once more. A file that is not whole is thrown away, so
  // that nothing has to be safe before the end.
  client.run('PRAGMA journal_mode = DELETE')
  client.run('PRAGMA synchronous = OFF')
  client.run(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`)
  const insertPurchase = client.prepare(INSERT_PURCHASE)
  const insertAuditEntry = client.prepare(INSERT_AUDIT_ENTRY)
  const begunAt = Date.now() - DAY_MS - HISTORY_MS

  client.transaction(() => {
    for (let number = 0; number < addresses; number++) {
      if (number % STEP === 0) onProgress(number / addresses)
      const [id, email] = [purchaseIdOf(number), emailOf(number)]
      const createdAt = begunAt + Math.floor((number / addresses) * HISTORY_MS)
      const paidAt = createdAt + 2 * MINUTE_MS
      const expiresAt = createdAt + 33 * MINUTE_MS
      const { amount, currency } = PRICE
      const [sessionId, payment] = [sessionIdOf(number), paymentIntentIdOf(number)]
      insertPurchase.run(
        ...[id, email, amount, currency, createdAt, expiresAt, sessionId, payment, paidAt],
      )
      insertAuditEntry.run(paidAt, eventIdOf(number), id, email)
    }
  })()
  onProgress(1)
  client.run('PRAGMA journal_mode = WAL')
  client.close(true)
}
