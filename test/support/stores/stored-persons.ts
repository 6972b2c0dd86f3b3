import type { Database } from 'bun:sqlite'
import type { PersonalRecords } from '../../../application/store.ts'
import type { Email } from '../../../domain/email.ts'
import { NOON } from '../fakes.ts'

type Row = Readonly<Record<string, string | number | null>>

/** What is found about a stranger. */
export const NO_RECORDS = {
  codes: [],
  codeMails: [],
  wrongTries: [],
  verification: null,
  logOutLineAt: null,
  purchases: [],
  grants: [],
  refunds: [],
  disputes: [],
  messages: [],
  audit: [],
  sandboxSessions: [],
} satisfies PersonalRecords

/** Tables that know of no address, neither in a column nor through another table. */
export const IMPERSONAL = [
  'common_log_out',
  'erased_log_outs',
  'foreign_payments',
  'heartbeat',
  'log_out_epoch',
  'schema_migrations',
  'service_mails',
  'sweeps',
]

/**
 * A row of every other table, about this address, with a value in every column that no other column or person has, but
 * where a column takes only a few.
 */
export function rowsAbout(email: Email, person = 1): Readonly<Record<string, Row>> {
  let count = 0
  const number = () => person * 1000 + ++count
  const moment = () => NOON.getTime() + number()
  const id = (prefix: string) => `${prefix}_${number()}`
  const [purchase, session, payment] = [id('pur'), id('cs'), id('pi')]
  return {
    otps: {
      email,
      sender: 'stranger',
      role: 'current',
      seed: id('seed'),
      issued_at: moment(),
      expires_at: moment(),
      attempts_left: number(),
    },
    otp_mails: {
      email,
      sender: 'stranger',
      position: number(),
      sent_at: moment(),
      network: id('network'),
      mailbox: id('mailbox'),
    },
    otp_wrong_tries: {
      email,
      sender: 'stranger',
      position: number(),
      tried_at: moment(),
      network: id('network'),
    },
    verifications: {
      email,
      verified_at: moment(),
      expires_at: moment(),
      code_challenge: id('challenge').padEnd(43, '-'),
      epoch: number(),
    },
    log_outs: { email, epoch: moment() },
    purchases: {
      id: purchase,
      email,
      language: 'sv',
      price_amount: number(),
      price_currency: 'eur',
      live: 0,
      state: 'paid',
      created_at: moment(),
      expires_at: moment(),
      session_id: session,
      payment_intent_id: payment,
      paid_at: moment(),
      amount_paid: number(),
      is_duplicate: 0,
      review_reason: null,
      amount_received: null,
      revoked_at: moment(),
      least_amount: number(),
    },
    operator_grants: {
      id: id('grant'),
      email,
      granted_at: moment(),
      revoked_at: moment(),
    },
    refunds: { id: id('re'), payment_intent_id: payment, amount: number(), state: 'pending' },
    disputes: { id: id('du'), payment_intent_id: payment, state: 'won', reported_at: moment() },
    outbox: {
      key: `payment_confirmed:${purchase}`,
      kind: 'payment_confirmed',
      purchase_id: purchase,
      email,
      language: 'sv',
      amount: number(),
      currency: 'eur',
      created_at: moment(),
      attempts: number(),
      state: 'done',
      due_at: null,
      ended_at: moment(),
    },
    audit_entries: {
      id: number(),
      at: moment(),
      by_whom: 'webhook',
      source: id('evt'),
      grant_id: id('grant'),
      email,
      reason: 'paid',
      object_id: id('object'),
      is_active: 1,
    },
    sandbox_sessions: {
      session_id: id('cs'),
      purchase_id: id('pur'),
      customer_email: email,
      price_amount: number(),
      price_currency: 'eur',
      state: 'paid',
      created_at: moment(),
      expires_at: moment(),
      payment_intent_id: id('pi'),
    },
  }
}

export function insertRows(client: Database, rows: Readonly<Record<string, Row>>): void {
  for (const [table, row] of Object.entries(rows)) {
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join(', ')
    client.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
      Object.values(row),
    )
  }
}

/** The columns of every table that there is. */
export function columnsOf(client: Database): Readonly<Record<string, readonly string[]>> {
  const tables = client
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .all()
  const columns = client.query<{ name: string }, [string]>('SELECT name FROM pragma_table_xinfo(?)')
  return Object.fromEntries(
    tables.map(({ name }) => [name, columns.all(name).map((column) => column.name)]),
  )
}

/** Every row of every table in which the text stands anywhere, in whatever case, as `table: row`. */
export function rowsWith(client: Database, text: string): readonly string[] {
  return Object.keys(columnsOf(client)).flatMap((table) =>
    client
      .query(`SELECT * FROM ${table}`)
      .all()
      .map((row) => JSON.stringify(row))
      .filter((row) => row.toLowerCase().includes(text.toLowerCase()))
      .map((row) => `${table}: ${row}`),
  )
}
