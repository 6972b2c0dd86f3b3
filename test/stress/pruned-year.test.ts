import { expect, test } from 'bun:test'
import { confirmEmail } from '../../application/access/confirm-email.ts'
import { logOut } from '../../application/access/log-out.ts'
import { sendCode } from '../../application/access/send-code.ts'
import { deliverOutbox } from '../../application/payments/deliver-outbox.ts'
import { settleSession } from '../../application/payments/settle-payment.ts'
import { startCheckout } from '../../application/payments/start-checkout.ts'
import { pruneExpired } from '../../application/upkeep/prune-expired.ts'
import { HOUR_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { sqliteStore } from '../../infrastructure/sqlite/store.ts'
import { fakePorts, fixedClock } from '../support/fakes.ts'
import { stranger } from '../support/senders.ts'
import { openTemporaryDatabase } from '../support/stores/stores.ts'
import { printFigures } from '../support/stress/figures.ts'
import { IS_WHOLE_STRESS } from '../support/thoroughness.ts'

const DAYS = 365
const PER_HOUR = IS_WHOLE_STRESS ? 9 : 1
const HOURS_APART = IS_WHOLE_STRESS ? 1 : 6
const RUNNING = new AbortController().signal

/** Kept for as long as it is of use, which is a quarter of a year at most. */
const PRUNED = [
  'otps',
  'otp_mails',
  'otp_wrong_tries',
  'service_mails',
  'verifications',
  'log_outs',
  'outbox',
  "purchases WHERE state <> 'paid'",
]

test('in a year of traffic nothing grows but what is sold and written down', async () => {
  const database = openTemporaryDatabase(':memory:')
  const client = database.queries.$client
  // Real time is where the audit trail is pruned by.
  const clock = fixedClock(new Date())
  const fakes = fakePorts({ ...sqliteStore(database), clock })
  const rules = { ...fakes.rules, mailLimit: { limit: 300, windowMs: HOUR_MS } }
  const ports = { ...fakes, rules }
  let visitors = 0
  let sold = 0

  /** Proves an address after a wrong try, opens a payment page, pays it or leaves it, and some log out. */
  async function visit(): Promise<void> {
    const number = visitors++
    const email = `visitor${number}@example.com` as Email
    const sender = stranger(number % 1000)
    const code = await sendCode(ports, { email, language: 'en', sender })
    await confirmEmail(ports, { email, code: 'wrong' as OtpCode, sender }).catch(() => {})
    if (number % 4 === 0) return
    await confirmEmail(ports, { email, code, sender })
    const { sessionId } = await startCheckout(ports, { email, language: 'en' })
    const isSold = number % 3 === 0
    await settleSession(ports, ports.payments.move(sessionId, isSold ? 'paid' : 'expired'), 'page')
    ports.payments.sessions.delete(sessionId)
    if (isSold) sold++
    if (number % 10 === 0) await logOut(ports, email)
  }

  const count = (from: string) =>
    client.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${from}`).get()?.rows ?? 0
  const pagesInUse = () => {
    const [pages] = client.query<{ page_count: number }, []>('PRAGMA page_count').all()
    const [free] = client.query<{ freelist_count: number }, []>('PRAGMA freelist_count').all()
    return (pages?.page_count ?? 0) - (free?.freelist_count ?? 0)
  }
  const look = () => ({
    rows: Object.fromEntries(PRUNED.map((from) => [from, count(from)])),
    pages: pagesInUse(),
    sold,
  })

  const fifths: ReturnType<typeof look>[] = []
  for (let hour = 0; hour < DAYS * 24; hour += HOURS_APART) {
    for (let visits = 0; visits < PER_HOUR; visits++) await visit()
    await deliverOutbox(ports, RUNNING)
    const pause = async () => {}
    await pruneExpired(ports, { pause, stopping: RUNNING })
    clock.advance(HOURS_APART * HOUR_MS)
    ports.mailer.mails.length = 0
    ports.mailer.notices.length = 0
    ports.log.lines.length = 0
    ports.telemetry.events.length = 0
    if ((hour + HOURS_APART) % (73 * 24) === 0) fifths.push(look())
  }

  // From the second fifth of the year on everything has been pruned once.
  const [, second, ...rest] = fifths
  for (const { rows } of rest) {
    for (const [from, number] of Object.entries(rows)) {
      const before = second?.rows[from] ?? 0
      const isFlat = Math.abs(number - before) <= Math.max(5, before * 0.05)
      expect({ from, before, number, isFlat }).toMatchObject({ isFlat: true })
    }
  }
  const last = fifths.at(-1)
  const salesMade = (last?.sold ?? 0) - (second?.sold ?? 0)
  const pagesMore = (last?.pages ?? 0) - (second?.pages ?? 0)
  expect(pagesMore * 4096).toBeLessThan(salesMade * 2048)
  printFigures(
    'a pruned year',
    `${visitors} visitors, ${sold} sales; rows after each fifth: ${PRUNED.map(
      (from) => `${from.split(' ')[0]} ${fifths.map(({ rows }) => rows[from]).join(' ')}`,
    ).join(', ')}; pages ${fifths.map(({ pages }) => pages).join(' ')}`,
  )
})
