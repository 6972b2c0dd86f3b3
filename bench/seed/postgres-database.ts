import { Client } from 'pg'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { ATTEMPTS_MAX } from '../../domain/otp.ts'
import { hmacSecrets } from '../../infrastructure/secrets/hmac-secrets.ts'
import { progress } from '../report/progress.ts'
import { SECRETS } from '../servers/secrets.ts'
import { emailOf, eventIdOf, paymentIntentIdOf, purchaseIdOf, sessionIdOf } from './addresses.ts'
import type { BenchDatabase } from './bench-database.ts'
import { PRICE } from './price.ts'

const STEP = 10_000
/** As in a SQLite database of buyers. */
const HISTORY_MS = 700 * DAY_MS

const INSERT_BUYERS = `
  WITH buyers AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[])
      AS buyers (id, email, created_at, session_id, payment_intent_id, event_id)
  ), bought AS (
    INSERT INTO purchases (id, email, language, price_amount, price_currency, live, state, created_at,
      expires_at, session_id, payment_intent_id, paid_at, amount_paid, is_duplicate)
    SELECT id, email, 'en', $7, $8, false, 'paid', created_at, created_at + interval '33 minutes',
      session_id, payment_intent_id, created_at + interval '2 minutes', $7, false FROM buyers
  )
  INSERT INTO audit_entries (at, by_whom, source, grant_id, email, reason, object_id, is_active)
  SELECT created_at + interval '2 minutes', 'webhook', event_id, id, email, 'paid', id, true FROM buyers`

const INSERT_OPEN = `
  INSERT INTO purchases (id, email, language, price_amount, price_currency, live, state, created_at,
    expires_at, session_id)
  SELECT id, email, 'en', $4, $5, false, 'open', now(), now() + interval '33 minutes', session_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS opened (id, email, session_id)`

const INSERT_CODES = `
  INSERT INTO otps (email, sender, role, seed, issued_at, expires_at, attempts_left)
  SELECT email, 'stranger', 'current', seed, $3, $4, ${ATTEMPTS_MAX}
  FROM unnest($1::text[], $2::text[]) AS codes (email, seed)
  ON CONFLICT (email, sender, role) DO UPDATE SET seed = excluded.seed, issued_at = excluded.issued_at,
    expires_at = excluded.expires_at, attempts_left = excluded.attempts_left`

const INSERT_MAILS = `
  INSERT INTO otp_mails (email, sender, position, sent_at)
  SELECT email, 'stranger', 0, $2 FROM unnest($1::text[]) AS mails (email)
  ON CONFLICT (email, sender, position) DO UPDATE SET sent_at = excluded.sent_at`

/** One that is migrated. `superuserUrl` leads into the same one. */
export function postgresDatabase(url: string, superuserUrl: string): BenchDatabase {
  return {
    url,
    openPurchases: ({ first, amount }) =>
      connected(superuserUrl, async (client) => {
        await client.query("DELETE FROM purchases WHERE state = 'open'")
        const numbers = numbersFrom(first, amount)
        await client.query(INSERT_OPEN, [
          numbers.map(purchaseIdOf),
          numbers.map(emailOf),
          numbers.map(sessionIdOf),
          PRICE.amount,
          PRICE.currency,
        ])
      }),
    mailCodes: (emails) =>
      connected(superuserUrl, async (client) => {
        const secrets = hmacSecrets({ secret: SECRETS.JWT_SECRET })
        const codes = emails.map((email) => {
          const seed = secrets.newOtpSeed()
          return { seed, code: secrets.deriveOtpCode(email, seed) }
        })
        const now = Date.now()
        const seeds = codes.map(({ seed }) => seed)
        const expiresAt = new Date(now + 10 * MINUTE_MS)
        await client.query(INSERT_CODES, [emails, seeds, new Date(now), expiresAt])
        await client.query(INSERT_MAILS, [emails, new Date(now)])
        return codes.map(({ code }) => code)
      }),
    countPaid: () =>
      connected(superuserUrl, async (client) => {
        const { rows } = await client.query(
          "SELECT count(*)::integer AS count FROM purchases WHERE state = 'paid'",
        )
        return rows[0].count
      }),
  }
}

/** Stores for each address what a SQLite database of so many buyers has of it. */
export async function fillPostgres(superuserUrl: string, addresses: number): Promise<void> {
  const step = progress(`filling a PostgreSQL with ${addresses} addresses`)
  const begunAt = Date.now() - DAY_MS - HISTORY_MS
  await connected(superuserUrl, async (client) => {
    await client.query('SET synchronous_commit = off')
    for (let first = 0; first < addresses; first += STEP) {
      step(first / addresses)
      const numbers = numbersFrom(first, Math.min(STEP, addresses - first))
      await client.query(INSERT_BUYERS, [
        numbers.map(purchaseIdOf),
        numbers.map(emailOf),
        numbers.map((number) => new Date(begunAt + (number / addresses) * HISTORY_MS)),
        numbers.map(sessionIdOf),
        numbers.map(paymentIntentIdOf),
        numbers.map(eventIdOf),
        PRICE.amount,
        PRICE.currency,
      ])
    }
    // Else PostgreSQL does both in the middle of the measurements.
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  })
  step(1)
}

function numbersFrom(first: number, amount: number): number[] {
  return Array.from({ length: amount }, (_, index) => first + index)
}

async function connected<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
