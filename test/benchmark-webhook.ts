// `bun run bench:webhook`: how fast the executable answers to webhooks while 200 of them come every second, beside a
// bare Bun server that only reads them, both in one run and on one machine.

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { builtExecutable } from './support/executable/built.ts'
import { client } from './support/http/client.ts'
import { startMailbox } from './support/mailbox.ts'
import { startAlibi } from './support/service/alibi-process.ts'
import {
  adaptedStripeEvent,
  type StripeEvent,
  signedDelivery,
} from './support/stripe/stripe-events.ts'
import { type StripeDouble, startStripeDouble } from './support/stripe-double/stripe-double.ts'
import { openTemporaryFolder } from './support/temporary-folder.ts'

const PER_SECOND = 200
const SECONDS = 20
const BUYERS = 1400
const WEBHOOK_SECRET = 'whsec_SecretOfTheBenchmark'
const SECRET_KEY = 'sk_test_KeyOfTheBenchmark'

const BARE_SERVER = `const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    await request.text()
    return Response.json({ received: true })
  },
})
console.log(server.url.origin)`

type Kind = 'payment' | 'refund' | 'dispute' | 'other kind' | 'foreign session' | 'duplicate'
type Mixed = { readonly kind: Kind; readonly event: StripeEvent }

/** A buyer proves an address and opens the payment page. Resolves with the session's id. */
async function openPage(url: string, { latestCode }: Mailbox, email: string): Promise<string> {
  const http = client(url)
  await http.post('/auth/verify-email', { email })
  await http.post('/auth/confirm-email', { email, code: latestCode(email) })
  const { body } = await http.post('/checkout', { email })
  return String(body['sessionId'])
}

type Mailbox = ReturnType<typeof startMailbox>

async function openPages(url: string, mailbox: Mailbox): Promise<string[]> {
  const sessions: string[] = []
  for (let number = 0; number < BUYERS; number++) {
    sessions.push(await openPage(url, mailbox, `buyer-${number}@example.com`))
  }
  return sessions
}

/** The events of so many sales, each sale in its order, and some events twice. */
function tellOf(double: StripeDouble, sessionIds: readonly string[]): Mixed[] {
  const mixed = sessionIds.flatMap((sessionId, sale) => {
    const events = double.pay(sessionId)
    const paid = events.at(-1)!
    const sold: Mixed[] = [{ kind: 'payment', event: paid }]
    for (const event of events.slice(0, sale % 2)) sold.unshift({ kind: 'other kind', event })
    if (sale % 4 === 0) sold.push({ kind: 'duplicate', event: paid })
    if (sale % 6 === 0) {
      const event = adaptedStripeEvent('checkout.session.completed.foreign', {
        envelope: { id: `evt_foreign_${sale}` },
      })
      sold.push({ kind: 'foreign session', event })
    }
    const reversals: readonly Mixed[] =
      sale % 5 === 1
        ? double.refund(sessionId).map((event) => ({ kind: 'refund', event }))
        : sale % 5 === 2
          ? double.dispute(sessionId, 'chargeback').map((event) => ({ kind: 'dispute', event }))
          : []
    return [...sold, ...reversals]
  })
  return Array.from({ length: PER_SECOND * SECONDS }, (_, index) => {
    const again = mixed[(index * 7919) % mixed.length]!
    return mixed[index] ?? { ...again, kind: 'duplicate' }
  })
}

type Delivery = { readonly body: Uint8Array<ArrayBuffer>; readonly signature: string }

async function sign(events: readonly Mixed[]): Promise<Delivery[]> {
  const at = new Date()
  return Promise.all(
    events.map(async ({ event }) => {
      const { payload, signature } = await signedDelivery(event, { secret: WEBHOOK_SECRET, at })
      return { body: new Uint8Array(payload), signature }
    }),
  )
}

type Answer = { readonly status: number; readonly ms: number }

/** Sends on schedule, without waiting for earlier answers, and counts a late start, too. */
async function load(url: string, deliveries: readonly Delivery[]): Promise<Answer[]> {
  const startsAt = performance.now() + 100
  return Promise.all(
    deliveries.map(async ({ body, signature }, index) => {
      const dueAt = startsAt + (index * 1000) / PER_SECOND
      await Bun.sleep(dueAt - performance.now())
      // Timers may come a moment early.
      const countedFrom = Math.min(dueAt, performance.now())
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
      const response = await fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body })
      await response.arrayBuffer()
      return { status: response.status, ms: performance.now() - countedFrom }
    }),
  )
}

const FIGURES: readonly [string, (sorted: readonly number[]) => number][] = [
  ['p50', (sorted) => quantile(sorted, 0.5)],
  ['p90', (sorted) => quantile(sorted, 0.9)],
  ['p99', (sorted) => quantile(sorted, 0.99)],
  ['max', (sorted) => quantile(sorted, 1)],
]

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

function figuresOf(answers: readonly Answer[]): number[] {
  const sorted = answers.map(({ ms }) => ms).toSorted((left, right) => left - right)
  return FIGURES.map(([, figure]) => figure(sorted))
}

function printRow(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(16) + cells.map((cell) => cell.padStart(13)).join(''))
}

function printAnswers(name: string, answers: readonly Answer[]): void {
  const taken = answers.filter(({ status }) => status === 200).length
  const times = figuresOf(answers).map((ms) => `${ms.toFixed(1)} ms`)
  printRow(name, [...times, `${((100 * taken) / answers.length).toFixed(2)} %`])
}

function countPaid(path: string): number {
  const database = new Database(path, { readonly: true })
  const [row] = database.query("SELECT count(*) FROM purchases WHERE state = 'paid'").values()
  database.close()
  return Number(row?.[0])
}

using folder = openTemporaryFolder()
const databasePath = join(folder.path, 'alibi.db')
const mailbox = startMailbox()
const double = await startStripeDouble({ webhookSecret: WEBHOOK_SECRET, secretKey: SECRET_KEY })
const end = new AbortController()
const bare = Bun.spawn([process.execPath, '-e', BARE_SERVER], { stdout: 'pipe' })
try {
  const alibi = await startAlibi({
    command: [await builtExecutable()],
    cwd: folder.path,
    env: {
      PUBLIC_URL: 'https://alibi.example',
      DATABASE_URL: `sqlite:${databasePath}`,
      JWT_SECRET: 'a secret that is long enough to sign with',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: double.url,
      RESEND_API_KEY: 're_KeyOfTheBenchmark',
      RESEND_BASE_URL: mailbox.url,
      EMAIL_FROM: 'Alibi <hello@alibi.example>',
      RATE_LIMIT_GENERAL: 'off',
      RATE_LIMIT_AUTH: 'off',
      RATE_LIMIT_PREMIUM: 'off',
    },
    signal: end.signal,
  })
  const events = tellOf(double, await openPages(alibi.url, mailbox))
  const kinds = Object.entries(Object.groupBy(events, ({ kind }) => kind))
  const counts = kinds.map(([kind, own = []]) => `${own.length} of ${kind}`).join(', ')
  console.log(`${events.length} events in ${SECONDS} s: ${counts}`)

  const { value } = await bare.stdout.getReader().read()
  const bareUrl = new TextDecoder().decode(value).trim()
  const plain = await load(bareUrl, await sign(events))
  const answers = await load(alibi.url, await sign(events))
  printRow('', [...FIGURES.map(([name]) => name), 'answers 200'])
  printAnswers('bare Bun server', plain)
  printAnswers('alibi', answers)
  const base = figuresOf(plain)
  printRow(
    'ratio',
    figuresOf(answers).map((ms, index) => (ms / (base[index] ?? 0)).toFixed(1)),
  )

  const refused = answers.filter(({ status }) => status !== 200).length
  if (refused > 0) throw new Error(`${refused} answers were not 200`)
  if (countPaid(databasePath) !== BUYERS) throw new Error('a payment was answered and not stored')
} finally {
  end.abort()
  bare.kill()
  mailbox.stop()
  await double.stop()
}
