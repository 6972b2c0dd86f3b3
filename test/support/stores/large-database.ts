import { Client } from 'pg'
import type { DatabaseTemplate } from '../postgres/fresh-database.ts'
import { MIGRATED } from './postgres-store.ts'

/** How many addresses have bought something in a database of `LARGE`. */
export const BUYERS = 20_000

/** That of the nth buyer. */
export const FILL_EMAIL = "'buyer' || n || '@example.com'"

/** Of each table the columns, and a row for n. Moments pass with n, a minute each, until noon of 2026-03-01. */
const FILLS: readonly (readonly [table: string, rows: number, columns: string, row: string])[] = [
  [
    'purchases',
    BUYERS,
    `id, email, language, price_amount, price_currency, live, state, created_at, expires_at, session_id,
      payment_intent_id, paid_at, amount_paid, is_duplicate, review_reason, amount_received`,
    `'pur_' || lpad(n::text, 8, '0'),
      CASE WHEN n % 200 = 2 THEN 'erased-' || n || '@alibi.invalid' ELSE ${FILL_EMAIL} END,
      'en', 400, 'eur', true, state, at, at + interval '30 minutes', 'cs_' || n,
      CASE WHEN state IN ('paid', 'review', 'processing') THEN 'pi_' || n END,
      CASE WHEN state = 'paid' THEN at END, CASE WHEN state = 'paid' THEN 400 END,
      CASE WHEN state = 'paid' THEN false END, CASE WHEN state = 'review' THEN 'amount' END,
      CASE WHEN state = 'review' THEN 100 END`,
  ],
  ['operator_grants', 10_000, 'id, email, granted_at', `'grant_' || n, ${FILL_EMAIL}, at`],
  [
    'refunds',
    10_000,
    'id, payment_intent_id, amount, state',
    `'re_' || n, CASE WHEN n % 4 = 0 THEN 'pi_foreign_' || n ELSE 'pi_' || n END, 100,
      CASE WHEN n % 500 = 10 THEN 'pending' ELSE 'succeeded' END`,
  ],
  [
    'disputes',
    10_000,
    'id, payment_intent_id, state, reported_at',
    `'du_' || n, CASE WHEN n % 4 = 0 THEN 'pi_foreign_' || n ELSE 'pi_' || n END,
      CASE WHEN n % 500 = 10 THEN 'open' ELSE 'won' END, at`,
  ],
  ['foreign_payments', 10_000, 'payment_intent_id, stored_at', `'pi_foreign_' || n, at`],
  [
    'outbox',
    BUYERS,
    `key, kind, purchase_id, email, language, amount, currency, created_at, attempts, state, due_at,
      ended_at`,
    `'payment_confirmed:pur_' || lpad(n::text, 8, '0'),
      (ARRAY['payment_confirmed', 'payment_failed', 'duplicate_refund'])[n % 3 + 1],
      'pur_' || lpad(n::text, 8, '0'), ${FILL_EMAIL}, 'en', 400, 'eur', at, 1, message_state,
      CASE WHEN message_state = 'waiting' THEN at + interval '3 minutes' END,
      CASE WHEN message_state <> 'waiting' THEN at END`,
  ],
  [
    'audit_entries',
    2 * BUYERS,
    'at, by_whom, grant_id, email, reason, object_id, is_active',
    `at - CASE WHEN n <= 1000 THEN interval '4 years' ELSE interval '0' END,
      'webhook', 'pur_' || n, ${FILL_EMAIL}, 'paid', 'pi_' || n, true`,
  ],
  [
    'otps',
    BUYERS,
    'email, sender, role, seed, issued_at, expires_at, attempts_left',
    `CASE WHEN n % 3 = 0 THEN 'visitor' || n ELSE ${FILL_EMAIL} END,
      (ARRAY['stranger', 'holder'])[n % 2 + 1],
      (ARRAY['current', 'replacement'])[n % 2 + 1], 'seed' || n, at, at + interval '10 minutes', 5`,
  ],
  [
    'otp_mails',
    2 * BUYERS,
    'email, sender, position, sent_at, network, mailbox',
    `'buyer' || n / 2 || '@example.com', 'stranger', n % 2, at, 'n' || n % 500, 'mailbox' || n / 4`,
  ],
  [
    'otp_wrong_tries',
    2 * BUYERS,
    'email, sender, position, tried_at, network',
    `'buyer' || n / 2 || '@example.com', 'stranger', n % 2, at, 'n' || n % 500`,
  ],
  [
    'service_mails',
    2 * BUYERS,
    'sent_at, had_premium, network',
    `at, n % 3 = 0, CASE WHEN n % 3 = 0 THEN NULL ELSE 'n' || n % 500 END`,
  ],
  [
    'verifications',
    BUYERS,
    'email, verified_at, expires_at, code_challenge, epoch',
    `${FILL_EMAIL}, at, at + interval '30 minutes', NULL, n`,
  ],
  ['log_outs', BUYERS, 'email, epoch', `${FILL_EMAIL}, extract(epoch FROM at) * 1000`],
  ['erased_log_outs', 10_000, 'trace, epoch', `'trace' || n, extract(epoch FROM at) * 1000`],
  [
    'sandbox_sessions',
    BUYERS,
    `session_id, purchase_id, customer_email, price_amount, price_currency, state, created_at, expires_at`,
    `'cs_' || n, 'pur_' || lpad(n::text, 8, '0'), ${FILL_EMAIL}, 400, 'eur', 'open', at, at`,
  ],
  [
    'rate_limits',
    2 * BUYERS,
    'key, scope, crowd, weight, hits, totals, opened_at, shared_until, over_at, check_at',
    `md5('k' || n)::uuid, 'auth clients', md5('c' || n % 50)::uuid, 0, ARRAY[later_ms], '{}', 1, 0,
      CASE WHEN n % 50 = 0 THEN 1 ELSE later_ms END, CASE WHEN n % 50 = 0 THEN 1 ELSE later_ms END`,
  ],
  [
    'rate_limit_rooms',
    10_000,
    'scope, crowd, places, shared_until',
    `'auth clients', md5('c' || n)::uuid, 1, 0`,
  ],
]

/** What the rows are made of. */
const NUMBERED = `LATERAL (SELECT
    timestamptz '2026-03-01 12:00:00+00' - (rows - n) * interval '1 minute' AS at,
    (ARRAY['open', 'processing', 'closed', 'review'])[CASE WHEN n % 20 < 4 THEN n % 20 + 1 ELSE 5 END]
      AS unpaid,
    CASE WHEN n % 400 = 7 THEN 'waiting' WHEN n % 400 = 8 THEN 'given_up' WHEN n % 20 = 9 THEN 'dropped'
      ELSE 'done' END AS message_state,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 3600000 AS later_ms) AS made,
  LATERAL (SELECT coalesce(unpaid, 'paid') AS state) AS named`

/** The schema of the executable, with so many rows in every table that grows that each has more than one way in. */
export const LARGE: DatabaseTemplate = {
  name: 'large',
  async prepare(connectionString) {
    await MIGRATED.prepare(connectionString)
    const client = new Client({ connectionString })
    await client.connect()
    for (const [table, rows, columns, row] of FILLS) {
      await client.query(
        `INSERT INTO ${table} (${columns})
          SELECT ${row} FROM (SELECT ${rows}) AS size (rows), generate_series(1, ${rows}) AS n, ${NUMBERED}`,
      )
    }
    await client.query('INSERT INTO common_log_out (id, epoch) VALUES (1, 1)')
    await client.query('VACUUM ANALYZE')
    await client.end()
  },
}

/** The tables that grow with the customers, or with whoever asks. */
export const GROWING: readonly string[] = FILLS.map(([table]) => table)
