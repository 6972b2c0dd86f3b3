import { Database } from 'bun:sqlite'
import { MINUTE_MS } from '../../domain/duration.ts'
import { emailOf, purchaseIdOf, sessionIdOf } from './addresses.ts'
import { PRICE } from './price.ts'

const BUSY_TIMEOUT_MS = 10_000

const INSERT = `INSERT INTO purchases (
  id, email, language, price_amount, price_currency, live, state, created_at, expires_at, session_id
) VALUES (?1, ?2, 'en', ?3, ?4, 0, 'open', ?5, ?6, ?7)`

/**
 * Stores purchases whose payment page was opened just now, beside the service that runs. Those of an earlier call that
 * nobody has paid are deleted: to ask Stripe about them would be work that no load of a request has caused.
 */
export function openPurchases(path: string, { first, amount }: { first: number; amount: number }) {
  const client = openBeside(path)
  const insert = client.prepare(INSERT)
  const createdAt = Date.now()
  const expiresAt = createdAt + 33 * MINUTE_MS
  client.transaction(() => {
    client.run("DELETE FROM purchases WHERE state = 'open'")
    for (let number = first; number < first + amount; number++) {
      const [id, email] = [purchaseIdOf(number), emailOf(number)]
      const { amount: asked, currency } = PRICE
      insert.run(...[id, email, asked, currency, createdAt, expiresAt, sessionIdOf(number)])
    }
  })()
  client.close(true)
}

/** How many purchases are paid, as the next process would see it. */
export function countPaid(path: string): number {
  const client = openBeside(path)
  const [[count] = []] = client
    .query("SELECT count(*) FROM purchases WHERE state = 'paid'")
    .values()
  client.close(true)
  return Number(count)
}

/** A connection of our own to the database of a service that runs. */
export function openBeside(path: string): Database {
  const client = new Database(path)
  client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return client
}
