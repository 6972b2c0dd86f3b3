import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { logOut } from '../../application/access/log-out.ts'
import { eraseEmail } from '../../application/customers/erase-email.ts'
import { pruneExpired } from '../../application/upkeep/prune-expired.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { fixedClock, NOON } from '../support/fakes.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'
import { openService } from '../support/service/real-service.ts'
import { authenticate, findTokenHolder } from '../support/token-readings.ts'

const BOB = 'bob@example.com' as Email
const INVALID = answers(401, 'Invalid or expired token')
const NOT_VERIFIED = { status: 403, body: { error: 'Email not verified' } }
const AHEAD_MS = 2 * HOUR_MS

type Service = ReturnType<typeof openService>

/** A service with two customers, whose tokens live for a day. */
async function openShop(own: Parameters<typeof openService>[0] = {}) {
  const service = openService(own)
  for (const email of [EMAIL, BOB]) await service.givePremium(email)
  return sceneOf(service)
}

function sceneOf(service: Service) {
  const { ports, clock } = service
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    service,
    ports,
    clock,
    read: async (token: string) => (await service.get('/i18n', bearer(token))).status,
    async logIn(email: string = EMAIL): Promise<string> {
      const code = await service.mailCode(email)
      const { body } = await service.post('/auth/login', { email, code })
      return (body as { token: string }).token
    },
    /** In a browser that can log in by its verifier from then on. */
    async prove(): Promise<void> {
      const code = await service.mailCode()
      await service.post('/auth/confirm-email', { email: EMAIL, code, codeChallenge: CHALLENGE })
    },
    logInProven: () => service.post('/auth/token', { email: EMAIL, codeVerifier: VERIFIER }),
    logOutBy: (token: string) => service.post('/auth/logout', {}, bearer(token)),
    prune: (tokenLifetimeMs = DAY_MS) =>
      pruneExpired(
        { ...ports, rules: { ...ports.rules, tokenLifetimeMs } },
        {
          pause: async () => {},
          stopping: new AbortController().signal,
        },
      ),
  }
}

describe('a token that was handed out while the clock was ahead', () => {
  test('lets nobody in once the clock is right, and ends no session', async () => {
    const { service, clock, logIn, logOutBy, read } = await openShop()
    const right = await logIn()
    clock.advance(AHEAD_MS)
    const ahead = await service.tokenOf()
    expect(await read(ahead)).toBe(200)

    clock.advance(-AHEAD_MS)
    expect(await read(ahead)).toBe(401)
    expect(await logOutBy(ahead)).toMatchObject(INVALID)
    expect(await read(right)).toBe(200)
    clock.advance(AHEAD_MS - MINUTE_MS)
    expect(await read(ahead)).toBe(200)
  })

  test('is ended by a log-out under the right clock, and does not come to life when the clock gets there', async () => {
    const { service, ports, clock, read } = await openShop()
    clock.advance(AHEAD_MS)
    const ahead = await service.tokenOf()
    clock.advance(-AHEAD_MS)
    await logOut(ports, EMAIL)
    for (const waitMs of [0, AHEAD_MS, HOUR_MS]) {
      clock.advance(waitMs)
      expect(await read(ahead)).toBe(401)
      expect(await findTokenHolder(ports, ahead)).toBeNull()
    }
  })

  test('is ended by an erasure under the right clock, also for whoever buys again', async () => {
    const { service, ports, clock, read } = await openShop()
    clock.advance(AHEAD_MS)
    const ahead = await service.tokenOf()
    clock.advance(-AHEAD_MS)
    expect(await eraseEmail(ports, EMAIL)).toMatchObject({ outcome: 'erased' })
    await ports.premiumGrants.add(
      { id: 'again', email: EMAIL },
      { at: clock.now(), by: 'operator', source: null },
    )
    clock.advance(AHEAD_MS)
    expect(await read(ahead)).toBe(401)
    expect(await read(await service.tokenOf())).toBe(200)
  })
})

describe('a log-out while the clock was ahead', () => {
  test('ends what was there, and a log-in under the right clock works at once', async () => {
    const { ports, clock, logIn, logOutBy, read } = await openShop()
    const before = await logIn()
    const bobs = await logIn(BOB)
    clock.advance(AHEAD_MS)
    await logOut(ports, EMAIL)
    clock.advance(-AHEAD_MS)
    expect(await read(before)).toBe(401)
    expect(await read(bobs)).toBe(200)

    const fresh = await logIn()
    expect(await read(fresh)).toBe(200)
    expect((await logOutBy(fresh)).status).toBe(200)
    expect(await read(fresh)).toBe(401)
    clock.advance(AHEAD_MS + MINUTE_MS)
    expect(await read(fresh)).toBe(401)
    expect(await read(bobs)).toBe(200)
  })

  test('of somebody else neither ends nor keeps a token', async () => {
    const { service, ports, clock, read } = await openShop()
    const before = await service.tokenOf()
    clock.advance(AHEAD_MS)
    await logOut(ports, BOB)
    clock.advance(-AHEAD_MS)
    const after = await service.tokenOf()
    expect([await read(before), await read(after)]).toEqual([200, 200])
    await logOut(ports, EMAIL)
    expect([await read(before), await read(after)]).toEqual([401, 401])
  })

  test('and an erasure then, leave no later token void', async () => {
    const { service, ports, clock, read } = await openShop()
    const before = await service.tokenOf()
    clock.advance(AHEAD_MS)
    await eraseEmail(ports, EMAIL)
    clock.advance(-AHEAD_MS)
    const origin = { at: clock.now(), by: 'operator', source: null } as const
    await ports.premiumGrants.add({ id: 'again', email: EMAIL }, origin)
    expect(await read(before)).toBe(401)
    expect(await read(await service.tokenOf())).toBe(200)
  })
})

describe('a verification', () => {
  test('that was made while the clock was ahead counts as not there', async () => {
    const { service, clock, prove, logInProven } = await openShop()
    clock.advance(10 * DAY_MS)
    await prove()
    expect((await logInProven()).status).toBe(200)
    clock.advance(-10 * DAY_MS)
    expect(await logInProven()).toMatchObject(NOT_VERIFIED)
    const checkout = { email: EMAIL, codeVerifier: VERIFIER }
    expect(await service.post('/checkout', checkout)).toMatchObject(NOT_VERIFIED)
  })

  test('of half an hour ahead is ended by a log-out under the right clock', async () => {
    const { ports, clock, prove, logInProven } = await openShop()
    clock.advance(20 * MINUTE_MS)
    await prove()
    clock.advance(-20 * MINUTE_MS)
    await logOut(ports, EMAIL)
    clock.advance(20 * MINUTE_MS)
    expect(await logInProven()).toMatchObject(NOT_VERIFIED)
  })

  test('under the right clock counts after a log-out while the clock was ahead', async () => {
    const { ports, clock, prove, logInProven, read } = await openShop()
    await prove()
    clock.advance(AHEAD_MS)
    await logOut(ports, EMAIL)
    clock.advance(-AHEAD_MS)
    expect(await logInProven()).toMatchObject(NOT_VERIFIED)
    await prove()
    const { body } = await logInProven()
    expect(await read((body as { token: string }).token)).toBe(200)
  })
})

describe('log-outs that are forgotten', () => {
  const YEAR_MS = 365 * DAY_MS

  test('revive nothing and end nothing that lives, also where one was made while the clock was ahead', async () => {
    const { service, ports, clock, prune, read } = await openShop()
    const stolen = await service.tokenOf()
    clock.advance(YEAR_MS)
    await logOut(ports, EMAIL)
    clock.advance(-YEAR_MS)
    for (let days = 0; days < 2 * 365; days += 30) {
      clock.advance(30 * DAY_MS)
      const [annas, bobs] = [await service.tokenOf(), await service.tokenOf(BOB)]
      await prune()
      expect([await read(annas), await read(bobs)]).toEqual([200, 200])
      expect(await findTokenHolder(ports, stolen)).toBeNull()
      if (days % 60 === 0) await logOut(ports, BOB)
      await prune()
      expect([await read(annas), await read(bobs)]).toEqual([200, days % 60 === 0 ? 401 : 200])
    }
    // All are forgotten by now, and who sets the lifetime of tokens up again revives none.
    const left = (await service.contents()) as Readonly<Record<string, readonly unknown[]>>
    expect(left['log_outs']?.length).toBeLessThan(3)
    ports.rules = { ...ports.rules, tokenLifetimeMs: 10 * YEAR_MS }
    expect(await findTokenHolder(ports, stolen)).toBeNull()
  })
})

test('a restored backup ends, by its next log-out, the tokens of the time since the backup', async () => {
  const clock = fixedClock()
  const { service, ports, logIn } = await openShop({ clock })
  const old = await logIn()
  const file = `${service.place.path!}.backup`
  const reader = new Database(service.place.path!)
  reader.run('VACUUM INTO ?', [file])
  reader.close(true)
  clock.advance(MINUTE_MS)
  await logOut(ports, BOB)
  clock.advance(MINUTE_MS)
  const since = await service.tokenOf()
  service.close()
  for (const side of ['-wal', '-shm']) rmSync(service.place.path! + side, { force: true })
  copyFileSync(file, service.place.path!)

  const restored = sceneOf(openService({ clock, place: service.place }))
  expect([await restored.read(old), await restored.read(since)]).toEqual([200, 200])
  clock.advance(MINUTE_MS)
  await logOut(restored.ports, EMAIL)
  expect([await restored.read(old), await restored.read(since)]).toEqual([401, 401])
  expect(await restored.read(await restored.service.tokenOf())).toBe(200)
})

const STEPS = fc.array(
  fc.record({
    act: fc.constantFrom('issue', 'issue', 'log out', 'erase', 'prune', 'restart'),
    who: fc.constantFrom(EMAIL, BOB),
    clockMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: -3 * HOUR_MS, max: 3 * HOUR_MS }),
      fc.integer({ min: -200 * DAY_MS, max: 200 * DAY_MS }),
    ),
  }),
  { maxLength: 25 },
)

test('whatever the clock does, a token is ended by every later log-out of its address, and by no other', async () => {
  const property = fc.asyncProperty(STEPS, async (steps) => {
    const clock = fixedClock()
    let scene = sceneOf(openService({ clock }))
    let tokens: { token: string; who: Email; issuedAt: Date; isEnded: boolean }[] = []
    let hasPruned = false
    for (const { act, who, clockMs } of steps) {
      clock.advance(clockMs)
      const { ports, service } = scene
      if (act === 'issue') {
        const token = await service.tokenOf(who)
        tokens.push({ token, who, issuedAt: clock.now(), isEnded: false })
      } else if (act === 'prune') {
        await scene.prune()
        hasPruned = true
      } else if (act === 'restart') {
        scene = sceneOf(openService({ clock, place: service.place }))
        service.close()
      } else {
        if (act === 'log out') await logOut(ports, who)
        else {
          await ports.otps.update({ email: who, sender: 'stranger' }, (record) => ({
            record: { ...record, wrongTries: [{ at: NOON, network: null }] },
          }))
          expect(await eraseEmail(ports, who)).toMatchObject({ outcome: 'erased' })
        }
        tokens = tokens.map((one) => ({ ...one, isEnded: one.isEnded || one.who === who }))
      }
      for (const { token, who: email, issuedAt, isEnded } of tokens) {
        const ageMs = clock.now().getTime() - issuedAt.getTime()
        const isTimely = ageMs > -MINUTE_MS + 1000 && ageMs < DAY_MS - 1000
        const found = await authenticate(scene.ports, token).catch(() => null)
        if (isEnded) expect(found).toBeNull()
        // Where the clock was a quarter of a year ahead, log-outs may be forgotten too early, which ends tokens.
        else if (isTimely && !hasPruned) expect(found).toBe(email)
      }
    }
    scene.service.close()
  })
  await fc.assert(property, { numRuns: 40 })
})
