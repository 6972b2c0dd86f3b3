import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readToken } from '../../../application/access/authenticate.ts'
import { logIn } from '../../../application/access/log-in.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { eraseEmail } from '../../../application/customers/erase-email.ts'
import { deliverOutbox } from '../../../application/payments/deliver-outbox.ts'
import { DAY_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { hmacSecrets } from '../../../infrastructure/secrets/hmac-secrets.ts'
import { jwtTokens } from '../../../infrastructure/secrets/jwt-tokens.ts'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { fakePorts, fixedClock, NOON, ORIGIN, recordingMailer } from '../../support/fakes.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { STRANGER } from '../../support/senders.ts'
import { changeDatabase, migrateData } from '../../support/stores/data-migrations.ts'
import { openTestDatabase, testBudget } from '../../support/stores/postgres-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ADA = parseEmail('ada@example.com')
const EVE = parseEmail('eve@example.com')
const BOB = parseEmail('bob@example.com')

const RUNNING = new AbortController().signal

const MESSAGE = `INSERT INTO outbox VALUES
  ('payment_confirmed:pur_1', 'payment_confirmed', 'pur_1', 'ada@example.com', 'en', 400, 'eur', ?, 0, 'waiting', ?, NULL)`
const OPEN_PURCHASE = `INSERT INTO purchases
  (id, email, language, price_amount, price_currency, live, state, created_at, expires_at, session_id)
  VALUES ('pur_2', 'new@example.com', 'en', 400, 'eur', 0, 'open', ?, ?, 'cs_1')`

/** One clock, one mailer and one secret, whatever database they are in front of. */
function openSide() {
  const secret = 'a secret that is long enough to sign with'
  const given = {
    clock: fixedClock(),
    mailer: recordingMailer(),
    secrets: hmacSecrets({ secret }),
    tokens: jwtTokens({ secret, previousSecret: null, issuer: 'alibi', lifetimeMs: DAY_MS }),
  }
  return (store: DatabaseStore) => fakePorts({ ...store, ...given })
}

type Side = ReturnType<ReturnType<typeof openSide>>

const mailCode = (ports: Side, email = ADA) =>
  sendCode(ports, { email, language: 'en', sender: STRANGER })

async function isLetIn(ports: Side, token: string): Promise<boolean> {
  return (await readToken(ports, token))?.isAlive ?? false
}

if (hasPostgres()) {
  test('tokens, codes, log-outs, erasures, open pages and mails that wait go on on PostgreSQL, and back on SQLite', async () => {
    const withStore = openSide()
    const [first, second] = [1, 2].map(() => join(temporaryFolder(), 'alibi.db')) as [
      string,
      string,
    ]
    const before = openSqliteStore(first)
    const ports = withStore(before)
    for (const email of [ADA, EVE, BOB]) {
      await ports.premiumGrants.add({ id: `grant_of_${email}`, email }, ORIGIN)
    }
    const login = async (side: Side, email = ADA) =>
      logIn(side, { email, code: await mailCode(side, email), sender: STRANGER })
    const token = await login(ports)
    const ended = await login(ports, EVE)
    await logOut(ports, EVE)
    const erased = await login(ports, BOB)
    await eraseEmail(ports, BOB)
    const code = await mailCode(ports)
    const wrong = { email: ADA, code: otherThan(code), sender: STRANGER }
    await expect(logIn(ports, wrong)).rejects.toEqual(new DomainError('invalid_code'))
    before.close()
    changeDatabase(first, MESSAGE, NOON.getTime(), NOON.getTime())
    changeDatabase(first, OPEN_PURCHASE, NOON.getTime(), NOON.getTime() + DAY_MS)

    const { url } = await freshDatabase()
    await migrateData({ from: `sqlite:${first}`, to: url })
    const between = postgresStore(openTestDatabase(url), { budget: testBudget() })
    const there = withStore(between)
    expect(await isLetIn(there, token)).toBe(true)
    expect(await isLetIn(there, ended)).toBe(false)
    expect(await isLetIn(there, erased)).toBe(false)
    const tokenThere = await logIn(there, { email: ADA, code, sender: STRANGER })
    await expect(logIn(there, { email: ADA, code, sender: STRANGER })).rejects.toEqual(
      new DomainError('invalid_code'),
    )
    await deliverOutbox(there, RUNNING)
    expect(there.mailer.notices.map(({ key }) => key)).toEqual(['payment_confirmed:pur_1'] as never)
    expect(await there.purchases.findBySessionId('cs_1')).toMatchObject({ state: 'open' })
    const codeThere = await mailCode(there)
    const again = await login(there, EVE)
    await logOut(there, EVE)
    between.close()

    await migrateData({ from: url, to: `sqlite:${second}` })
    const after = openSqliteStore(second)
    const back = withStore(after)
    for (const alive of [token, tokenThere]) expect(await isLetIn(back, alive)).toBe(true)
    for (const void_ of [ended, erased, again]) expect(await isLetIn(back, void_)).toBe(false)
    expect(await logIn(back, { email: ADA, code: codeThere, sender: STRANGER })).toBeString()
    expect(await back.purchases.findBySessionId('cs_1')).toMatchObject({ state: 'open' })
    expect(await back.outbox.findByPurchase('pur_1' as PurchaseId)).toMatchObject([
      { state: 'done', attempts: 1 },
    ])
    after.close()
  })
}

function otherThan(code: string) {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0') as never
}
