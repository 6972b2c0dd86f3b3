import type { AlibiProcess } from '../service/alibi-process.ts'
import { insistOn, type Production } from './production.ts'
import { stored } from './stored.ts'

export type Ends = {
  /** A line for everyone who has lost something, got something twice, or got what was not paid for. */
  readonly wrong: readonly string[]
  /** How many payments the provider has taken. */
  readonly payments: number
  /** How many of them were confirmed by exactly one mail, and how many were sent back, whole and once. */
  readonly confirmed: number
  readonly refunded: number
}

/** The rows of a statement, in the service's database. */
export type Read = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/**
 * Compares what Alibi has on record, what it answers, what it has mailed and what it has sent back with what the
 * provider knows was paid. `premium` says who has to have it now.
 */
export async function checkEnds(
  production: Production,
  alibi: AlibiProcess,
  premium: ReadonlyMap<string, boolean>,
  read: Read = async (sql) => stored(production, sql),
  env: Record<string, string> = production.settings,
): Promise<Ends> {
  const purchases = await readPaid(production, read)
  const sessions = [...production.double.sessions.values()]
  const paidSessions = sessions.filter(({ payment_status }) => payment_status === 'paid')
  const wrong = [
    ...(await findWrongAccess(alibi, premium)),
    ...paidSessions.flatMap(({ id, customer_email }) => {
      const own = purchases.filter(
        ({ sessionId, email }) => sessionId === id && email === customer_email,
      )
      return unless(1, own.length, `purchases for the payment ${id} of ${customer_email}`)
    }),
    ...purchases.flatMap((purchase) => findWrong(purchase, paidSessions)),
    ...findStrangersRefunds(production, purchases),
    ...(await findAudited(production, env)),
    ...(await findUnfinished(read)),
    ...findPayable(production, premium),
  ]
  return {
    wrong,
    payments: paidSessions.length,
    confirmed: purchases.filter(({ confirmations }) => confirmations === 1).length,
    refunded: purchases.filter(({ isDuplicate, refunds }) => isDuplicate && refunds.length === 1)
      .length,
  }
}

/** What the command finds, too. */
async function findAudited(
  production: Production,
  env: Record<string, string>,
): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await production.run(['audit'], env)
  return exitCode === 0 ? [] : [`the audit: ${stdout}${stderr}`]
}

/** A paid purchase, and all that has followed from it. */
type Paid = {
  readonly email: string
  readonly sessionId: string
  readonly paymentIntentId: string
  readonly amountPaid: number
  readonly isDuplicate: boolean
  readonly confirmations: number
  /** In minor units, each. */
  readonly refunds: readonly number[]
  readonly timesAudited: number
}

async function readPaid({ double, mailbox }: Production, read: Read): Promise<readonly Paid[]> {
  const rows = await read("SELECT * FROM purchases WHERE state = 'paid'")
  const audited = await read("SELECT object_id FROM audit_entries WHERE reason = 'paid'")
  return rows.map((row) => {
    const id = String(row['id'])
    const paymentIntentId = String(row['payment_intent_id'])
    return {
      email: String(row['email']),
      sessionId: String(row['session_id']),
      paymentIntentId,
      amountPaid: Number(row['amount_paid']),
      isDuplicate: Boolean(row['is_duplicate']),
      confirmations: mailbox.delivered.filter(({ key }) => key === `payment_confirmed:${id}`)
        .length,
      refunds: [...double.refunds.values()]
        .filter(({ payment_intent }) => payment_intent === paymentIntentId)
        .map(({ amount }) => amount),
      timesAudited: audited.filter((entry) => entry['object_id'] === id).length,
    }
  })
}

function findWrong(purchase: Paid, paidSessions: readonly { id: string }[]): string[] {
  const { email, sessionId, isDuplicate, confirmations, refunds, amountPaid } = purchase
  const payments = paidSessions.filter(({ id }) => id === sessionId).length
  const name = `of the purchase ${sessionId} of ${email}`
  const whole = refunds.filter((amount) => amount === amountPaid)
  return [
    ...unless(1, payments, `payments ${name}`),
    ...unless(1, purchase.timesAudited, `entries in the audit trail ${name}`),
    ...unless(isDuplicate ? 0 : 1, confirmations, `confirmations ${name}`),
    ...(isDuplicate ? unless(1, refunds.length, `refunds ${name}, a second one`) : []),
    ...(isDuplicate ? unless(1, whole.length, `whole refunds ${name}, a second one`) : []),
  ]
}

function unless(expected: number, found: number, what: string): string[] {
  return found === expected ? [] : [`${found} ${what}, and not ${expected}`]
}

async function findWrongAccess(
  alibi: AlibiProcess,
  premium: ReadonlyMap<string, boolean>,
): Promise<string[]> {
  const wrong: string[] = []
  for (const [email, expected] of premium) {
    const path = `/auth/check?email=${encodeURIComponent(email)}`
    const answer = await insistOn(() => fetch(alibi.url + path))
    const has = ((await answer.json()) as { hasPremium?: boolean }).hasPremium === true
    if (has !== expected) wrong.push(`${email} has ${has ? '' : 'no '}premium`)
  }
  return wrong
}

/** Alibi sends nothing back by itself but second payments. */
function findStrangersRefunds({ double }: Production, purchases: readonly Paid[]): string[] {
  const duplicates = purchases.filter(({ isDuplicate }) => isDuplicate)
  return double.requests
    .filter(({ route }) => route === 'POST /v1/refunds')
    .map(({ form }) => String(form['payment_intent']))
    .filter((intent) => !duplicates.some(({ paymentIntentId }) => paymentIntentId === intent))
    .map((intent) => `${intent} was sent back, and was no second payment`)
}

async function findUnfinished(read: Read): Promise<string[]> {
  const rows = await read("SELECT key, state FROM outbox WHERE state <> 'done'")
  return rows.map(({ key, state }) => `${key} is ${state}`)
}

/** No buyer has two pages that take money, and no buyer with premium has one. */
function findPayable({ double }: Production, premium: ReadonlyMap<string, boolean>): string[] {
  const open = [...double.sessions.values()].filter(({ status }) => status === 'open')
  const emails = open.map(({ customer_email }) => String(customer_email))
  return [...new Set(emails)].flatMap((email) => {
    const pages = emails.filter((one) => one === email).length
    const most = premium.get(email) ? 0 : 1
    return pages <= most ? [] : [`${email} has ${pages} pages that take money`]
  })
}
