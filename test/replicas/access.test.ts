import { describe, expect, test } from 'bun:test'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'
import { ask, clientAddress, openFleet, prove } from '../support/replicas/fleet.ts'
import { atOnce, countStatuses, wrongCodes } from '../support/service/real-service.ts'

const EMAIL = 'ada@example.com'
const REVOKED_AFTER = 20
const TOLD_ENDED = { status: 401, body: { error: 'Invalid or expired token' } }
const TOLD_REVOKED = { status: 403, body: { error: 'Premium access required' } }

describe.if(hasPostgres())('two replicas on one PostgreSQL', () => {
  test('accept one code once, of 200 parallel log-ins', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    await fleet.givePremium([EMAIL])
    await ask(fleet.inTurn(0), '/auth/verify-email', { body: { email: EMAIL } })
    const code = fleet.mailbox.latestCode(EMAIL)

    const got = await atOnce(200, (index) =>
      ask(fleet.inTurn(index), '/auth/login', { body: { email: EMAIL, code } }),
    )

    expect(countStatuses(got)).toEqual({ 200: 1, 401: 199 })
  })

  test('count five wrong tries and five mails together', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const mailed = await atOnce(100, (index) =>
      ask(fleet.inTurn(index), '/auth/verify-email', { body: { email: EMAIL } }),
    )
    expect(countStatuses(mailed)).toEqual({ 200: 5, 429: 95 })
    expect(fleet.mailbox.mails).toHaveLength(5)
    const code = fleet.mailbox.latestCode(EMAIL)

    const wrong = wrongCodes(code, 200)
    const tried = await atOnce(200, (index) =>
      ask(fleet.inTurn(index), '/auth/confirm-email', {
        body: { email: EMAIL, code: wrong[index] },
      }),
    )

    expect(countStatuses(tried)).toEqual({ 401: 200 })
    for (const alibi of fleet.replicas) {
      const late = await ask(alibi, '/auth/confirm-email', { body: { email: EMAIL, code } })
      expect(late.status).toBe(401)
    }
    const [counted] = await fleet.rows('SELECT count(*)::int AS tries FROM otp_wrong_tries')
    expect(counted).toEqual({ tries: 5 })
  })

  test('take what the other one has mailed, handed out and proven', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const [here, there] = [fleet.inTurn(0), fleet.inTurn(1)]
    await fleet.givePremium([EMAIL])
    const token = await prove(fleet, EMAIL, { asked: here, typed: there })
    expect(await ask(here, '/premium-reasons', { token: token! })).toMatchObject({ status: 200 })

    await ask(there, '/auth/verify-email', { body: { email: EMAIL } })
    const code = fleet.mailbox.latestCode(EMAIL)
    const proof = { email: EMAIL, code, codeChallenge: CHALLENGE }
    expect(await ask(here, '/auth/confirm-email', { body: proof })).toMatchObject({ status: 200 })
    const verified = { email: EMAIL, codeVerifier: VERIFIER }
    expect(await ask(there, '/auth/token', { body: verified })).toMatchObject({ status: 200 })
  })

  test('end a token at both on the very next request after a log-out at one', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const readers = Array.from({ length: 20 }, (_, number) => `reader-${number}@example.com`)
    await fleet.givePremium(readers)
    for (const [round, email] of readers.entries()) {
      const [here, there] = [fleet.inTurn(round), fleet.inTurn(round + 1)]
      const token = (await prove(fleet, email, { asked: here, typed: there }))!
      // What a replica remembers of the token is as fresh as can be.
      await atOnce(10, (index) => ask(fleet.inTurn(index), '/i18n', { token }))
      expect(await ask(there, '/i18n', { token })).toMatchObject({ status: 200 })

      expect(await ask(here, '/auth/logout', { body: {}, token })).toMatchObject({ status: 200 })
      expect(await ask(there, '/i18n', { token })).toMatchObject(TOLD_ENDED)
      expect(await ask(here, '/i18n', { token })).toMatchObject(TOLD_ENDED)
    }
  })

  test('refuse a reader whom the command line has revoked, both at once', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const [here, there] = [fleet.inTurn(0), fleet.inTurn(1)]
    await fleet.givePremium([EMAIL])
    const token = (await prove(fleet, EMAIL, { asked: here, typed: there }))!
    let isRevoked = false
    let late = 0

    async function keepReading(alibi: typeof here): Promise<void> {
      for (let after = 0; after < REVOKED_AFTER; ) {
        const wasRevoked = isRevoked
        const { status } = await ask(alibi, '/i18n', { token })
        if (wasRevoked) after++
        if (wasRevoked && status !== 403) late++
        expect([200, 403]).toContain(status)
      }
    }
    const reading = Promise.all([keepReading(here), keepReading(there)])
    expect((await fleet.run('revoke', EMAIL)).exitCode).toBe(0)
    isRevoked = true
    for (const alibi of fleet.replicas) {
      expect(await ask(alibi, '/premium-reasons', { token })).toMatchObject(TOLD_REVOKED)
    }
    await reading
    expect(late).toBe(0)
  })

  test('mail exactly as many codes together as MAIL_LIMIT says, half of them to strangers', async () => {
    const limit = 24
    const env = { MAIL_LIMIT: `${limit}/1h` }
    await using fleet = await openFleet({ replicas: 2, env })
    const customers = Array.from({ length: limit }, (_, number) => `customer-${number}@example.com`)
    await fleet.givePremium(customers)

    const strangers = await atOnce(100, (index) =>
      ask(fleet.inTurn(index), '/auth/verify-email', {
        body: { email: `stranger-${index}@example.org` },
        from: clientAddress(index),
      }),
    )
    expect(countStatuses(strangers)).toEqual({ 200: limit / 2, 503: 100 - limit / 2 })
    expect(fleet.mailbox.mails).toHaveLength(limit / 2)

    const others = await Promise.all(
      customers.map((email, index) =>
        ask(fleet.inTurn(index), '/auth/verify-email', {
          body: { email },
          from: clientAddress(1000 + index),
        }),
      ),
    )
    expect(countStatuses(others)).toEqual({ 200: limit / 2, 503: limit / 2 })
    expect(fleet.mailbox.mails).toHaveLength(limit)
  })
})
