/** What a column holds. A flag is a boolean in PostgreSQL, and a moment a time there; SQLite has numbers for both. */
export type ColumnKind = 'text' | 'integer' | 'bigint' | 'moment' | 'flag'

export type CarriedTable = {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[]
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[]
  /** Whether the database counts the rows itself. */
  readonly hasCountedKey: boolean
  /** SQL that is true of rows that a database may have before any customer has come; null where it has none then. */
  readonly initialRows: string | null
}

// Why: docs/decisions.md#data-moves-to-another-database-row-by-row
/** The tables that have the installation, with all of their columns. */
export const CARRIED_TABLES: readonly CarriedTable[] = [
  carried('otps', ['email', 'sender', 'role'], {
    email: 'text',
    sender: 'text',
    role: 'text',
    seed: 'text',
    issued_at: 'moment',
    expires_at: 'moment',
    attempts_left: 'integer',
  }),
  carried('otp_mails', ['email', 'sender', 'position'], {
    email: 'text',
    sender: 'text',
    position: 'integer',
    sent_at: 'moment',
    network: 'text',
    mailbox: 'text',
  }),
  carried('otp_wrong_tries', ['email', 'sender', 'position'], {
    email: 'text',
    sender: 'text',
    position: 'integer',
    tried_at: 'moment',
    network: 'text',
  }),
  carried(
    'service_mails',
    ['id'],
    { id: 'bigint', sent_at: 'moment', had_premium: 'flag', network: 'text' },
    { hasCountedKey: true },
  ),
  carried('verifications', ['email'], {
    email: 'text',
    verified_at: 'moment',
    expires_at: 'moment',
    code_challenge: 'text',
    epoch: 'bigint',
  }),
  carried('log_outs', ['email'], { email: 'text', epoch: 'bigint' }),
  carried('erased_log_outs', ['trace'], { trace: 'text', epoch: 'bigint' }),
  carried('common_log_out', ['id'], { id: 'integer', epoch: 'bigint' }),
  carried(
    'log_out_epoch',
    ['id'],
    { id: 'integer', epoch: 'bigint' },
    { initialRows: 'epoch = 0' },
  ),
  carried('purchases', ['id'], {
    id: 'text',
    email: 'text',
    language: 'text',
    price_amount: 'bigint',
    price_currency: 'text',
    live: 'flag',
    state: 'text',
    created_at: 'moment',
    expires_at: 'moment',
    session_id: 'text',
    payment_intent_id: 'text',
    paid_at: 'moment',
    amount_paid: 'bigint',
    is_duplicate: 'flag',
    review_reason: 'text',
    amount_received: 'bigint',
    revoked_at: 'moment',
    least_amount: 'bigint',
  }),
  carried('operator_grants', ['id'], {
    id: 'text',
    email: 'text',
    granted_at: 'moment',
    revoked_at: 'moment',
  }),
  carried('refunds', ['id'], {
    id: 'text',
    payment_intent_id: 'text',
    amount: 'bigint',
    state: 'text',
  }),
  carried('disputes', ['id'], {
    id: 'text',
    payment_intent_id: 'text',
    state: 'text',
    reported_at: 'moment',
  }),
  carried('foreign_payments', ['payment_intent_id'], {
    payment_intent_id: 'text',
    stored_at: 'moment',
  }),
  carried('outbox', ['key'], {
    key: 'text',
    kind: 'text',
    purchase_id: 'text',
    email: 'text',
    language: 'text',
    amount: 'bigint',
    currency: 'text',
    created_at: 'moment',
    attempts: 'integer',
    state: 'text',
    due_at: 'moment',
    ended_at: 'moment',
  }),
  carried(
    'audit_entries',
    ['id'],
    {
      id: 'bigint',
      at: 'moment',
      by_whom: 'text',
      source: 'text',
      grant_id: 'text',
      email: 'text',
      reason: 'text',
      object_id: 'text',
      is_active: 'flag',
    },
    { hasCountedKey: true },
  ),
  carried('sweeps', ['name'], { name: 'text', last_run_at: 'moment' }, { initialRows: 'true' }),
  carried('sandbox_sessions', ['session_id'], {
    session_id: 'text',
    purchase_id: 'text',
    customer_email: 'text',
    price_amount: 'bigint',
    price_currency: 'text',
    state: 'text',
    created_at: 'moment',
    expires_at: 'moment',
    payment_intent_id: 'text',
  }),
]

/** Tables of either database whose rows are that database's own, or are of no use once the service has stopped. */
export const TABLES_LEFT_BEHIND: readonly string[] = [
  'heartbeat',
  'leases',
  'locks',
  'migration_lock',
  'rate_limit_rooms',
  'rate_limits',
  'replicas',
  'schema_migrations',
]

function carried(
  name: string,
  key: readonly string[],
  kinds: Readonly<Record<string, ColumnKind>>,
  {
    hasCountedKey = false,
    initialRows = null,
  }: { hasCountedKey?: boolean; initialRows?: string | null } = {},
): CarriedTable {
  const columns = Object.entries(kinds).map(([name, kind]) => ({ name, kind }))
  return { name, columns, key, hasCountedKey, initialRows }
}

/** The values of a row that its key has. */
export function keyOf({ columns, key }: CarriedTable, row: CarriedRow): CarriedRow {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null)
}

/**
 * The values of a row in the order of the columns, the same from either database: a moment is milliseconds since 1970,
 * and a flag is 0 or 1.
 */
export type CarriedRow = readonly (string | number | null)[]
