import { expect } from 'bun:test'
import { openProduction, SECRETS } from '../executable/production.ts'
import { untilCarriedOut } from '../executable/productions.ts'
import { query } from '../postgres/query.ts'
import type { AlibiProcess } from '../service/alibi-process.ts'
import { emptyMigratedDatabase } from '../stores/postgres-store.ts'
import { type StripeEvent, signedDelivery } from '../stripe/stripe-events.ts'

export type Fleet = Awaited<ReturnType<typeof openFleet>>

/** A request as a client sends it that is at this address, if not at that of the test. */
export type Asked = { readonly body?: object; readonly token?: string; readonly from?: string }

/**
 * Processes of the executable on one PostgreSQL, with one Stripe double and one mailbox. They end with it, so hold it
 * with `await using`.
 */
export async function openFleet({
  replicas: count,
  env: own = {},
  url,
}: {
  replicas: number
  env?: Readonly<Record<string, string>>
  /** Of its database; by default one that is migrated and empty. */
  url?: string
}) {
  const databaseUrl = url ?? (await emptyMigratedDatabase())
  const production = await openProduction({ databaseUrl })
  const env = {
    ...production.settings,
    TRUSTED_PROXIES: '127.0.0.1',
    // On a busy machine 200 requests for one row take longer than a user would wait.
    DATABASE_TIMEOUT: '1m',
    ...own,
  }
  const start = (extra: Readonly<Record<string, string>> = {}) =>
    production.start({ env: { ...env, ...extra } })

  let replicas: AlibiProcess[]
  try {
    replicas = await Promise.all(Array.from({ length: count }, () => start()))
  } catch (error) {
    await production[Symbol.asyncDispose]()
    throw error
  }
  const { mailbox, double } = production

  /** Every row of one statement. */
  const rows = (statement: string) => query(databaseUrl, statement)

  /** Brings an event to one replica, signed at this moment, and resolves with the HTTP status. */
  async function deliver({ url }: AlibiProcess, event: StripeEvent): Promise<number> {
    const { payload, signature } = await signedDelivery(event, {
      secret: SECRETS.STRIPE_WEBHOOK_SECRET,
      at: new Date(),
    })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    const answer = await fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body: payload })
    await answer.body?.cancel()
    if (answer.ok) double.markDelivered(event)
    return answer.status
  }

  return {
    production,
    mailbox,
    double,
    env,
    replicas,
    rows,
    deliver,
    /** One replica more. */
    start,
    /** The replicas in turn. */
    inTurn: (index: number) => replicas[index % replicas.length]!,
    /** Runs a command to its end. */
    run: (...parameters: string[]) => production.run(parameters, env),
    /** As if an operator had given it, but for the audit trail. */
    async givePremium(emails: readonly string[]): Promise<void> {
      const values = emails.map((email) => `('given to ${email}', '${email}', clock_timestamp())`)
      await rows(`INSERT INTO operator_grants (id, email, granted_at) VALUES ${values.join()}`)
    },
    /** Resolves when nothing waits in the outbox any more. */
    carriedOut: () => untilCarriedOut(databaseUrl),
    /** The confirmations that came to the mailbox, repeated ones too. */
    confirmations: () =>
      mailbox.mails.filter(({ key }) => key?.startsWith('payment_confirmed:') ?? false),
    [Symbol.asyncDispose]: () => production[Symbol.asyncDispose](),
  }
}

/** Asks a replica, as a JSON client does that keeps no connection. */
export async function ask(
  { url }: Pick<AlibiProcess, 'url'>,
  path: string,
  { body, token, from }: Asked = {},
) {
  const answer = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    keepalive: false,
    headers: {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(from === undefined ? {} : { 'x-forwarded-for': from }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: answer.status,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Record<string, unknown>,
    header: (name: string) => answer.headers.get(name),
  }
}

/** An address of the client with this number, each in a network of its own. */
export function clientAddress(number: number): string {
  return `100.${64 + (number >> 8)}.${number % 256}.1`
}

/** Proves an address: the code is asked for at one replica, and typed at the other. */
export async function prove(
  { mailbox }: Pick<Fleet, 'mailbox'>,
  email: string,
  { asked, typed }: { asked: AlibiProcess; typed: AlibiProcess },
): Promise<string | null> {
  const mailed = await ask(asked, '/auth/verify-email', { body: { email } })
  expect(mailed).toMatchObject({ status: 200 })
  const code = mailbox.latestCode(email)
  const confirmed = await ask(typed, '/auth/confirm-email', { body: { email, code } })
  expect(confirmed).toMatchObject({ status: 200, body: { email } })
  const { token } = confirmed.body
  return typeof token === 'string' ? token : null
}

/** The session of a buyer who has proven the address, and has the payment page open. */
export async function openPage(fleet: Fleet, email: string, number = 0): Promise<string> {
  const [asked, typed] = [fleet.inTurn(number), fleet.inTurn(number + 1)]
  await prove(fleet, email, { asked, typed })
  const { status, body } = await ask(asked, '/checkout', { body: { email } })
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
  return String(body['sessionId'])
}

export async function hasPremium(alibi: AlibiProcess, email: string): Promise<boolean> {
  const { body } = await ask(alibi, `/auth/check?email=${encodeURIComponent(email)}`)
  return body['hasPremium'] === true
}

/** Does so many things, as many at once as given. */
export async function severalAtOnce(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  async function worker() {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
