import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '../../domain/duration.ts'
import { type Answered, answers, EMAIL } from '../support/http/http-client.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { PLACES } from '../support/service/places.ts'
import { atOnce, countStatuses, serviceSetup } from '../support/service/real-service.ts'

const ENDED = answers(401, 'Invalid or expired token')

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  /** Two processes in front of one database, and an address with premium. */
  async function openWithPremium() {
    const service = await openService()
    await service.givePremium()
    const processes = [service, service.openProcess()]
    const inTurn = (index: number) => processes[index % processes.length]!
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

    async function logIn(): Promise<string> {
      const code = await service.mailCode()
      const { body } = await service.post('/auth/login', { email: EMAIL, code })
      return (body as { token: string }).token
    }
    async function confirm(): Promise<string> {
      const code = await service.mailCode()
      const proof = { email: EMAIL, code, codeChallenge: CHALLENGE }
      const { body } = await service.post('/auth/confirm-email', proof)
      return (body as { token: string }).token
    }
    return {
      service,
      inTurn,
      logIn,
      /** Proves the address in a browser that can log in by its verifier from then on. */
      confirm,
      logInVerified: (index: number) =>
        inTurn(index).post('/auth/token', { email: EMAIL, codeVerifier: VERIFIER }),
      logOut: (index: number, token: string) =>
        inTurn(index).send('POST', '/auth/logout', { headers: bearer(token) }),
      read: (index: number, token: string) => inTurn(index).get('/i18n', bearer(token)),
    }
  }

  describe('logging out', () => {
    test('50 times at the same moment ends every token, and the next log-in works at once', async () => {
      const { logIn, logOut, read } = await openWithPremium()
      const tokens = [await logIn(), await logIn(), await logIn()]

      const got = await atOnce(50, (index) => logOut(index, tokens[index % 3]!))

      const counts = countStatuses(got)
      expect(counts[200]).toBeGreaterThan(0)
      expect((counts[200] ?? 0) + (counts[401] ?? 0)).toBe(50)
      for (const token of tokens) {
        for (const process of [0, 1]) expect(await read(process, token)).toMatchObject(ENDED)
      }
      const fresh = await logIn()
      for (const process of [0, 1]) expect((await read(process, fresh)).status).toBe(200)
    })

    test('while others log in leaves no token alive that was there before, and none dead that came after', async () => {
      const { service, inTurn, logIn, logOut, read } = await openWithPremium()
      for (let round = 0; round < 20; round++) {
        const before = await logIn()
        const code = await service.mailCode()

        const [, logIns] = await Promise.all([
          atOnce(10, (index) => logOut(index, before)),
          atOnce(10, (index) => inTurn(index).post('/auth/login', { email: EMAIL, code })),
        ])

        expect(await read(round, before)).toMatchObject(ENDED)
        expect(countStatuses(logIns)).toEqual({ 200: 1, 401: 9 })
        const after = await logIn()
        expect((await read(round, after)).status).toBe(200)
        // Not a millisecond has passed so far; mails, however, come five in 15 minutes and 20 in a day.
        service.clock.advance(8 * HOUR_MS)
      }
    })

    test('while the browser that proved the address logs in again and again leaves no token alive, whatever the order', async () => {
      const { service, confirm, logOut, logInVerified, read } = await openWithPremium()
      // Every reading of the clock is a millisecond later than the one before, as when each step takes its time.
      const { now } = service.clock
      service.clock.now = () => {
        service.clock.advance(1)
        return now()
      }
      const random = seededRandom(20)
      const seen = { refused: 0, ended: 0 }
      // Until both have come often: how often they do hangs on the machine, too.
      for (let round = 0; round < 40 || seen.refused < 100 || seen.ended < 100; round++) {
        const token = await confirm()
        const logOutAt = random.below(6)
        // A token that has been seen is known at once, so that the log-out is quick enough to come in between.
        await read(5, token)
        const got: Answered[] = []
        await atOnce(10, async (index) => {
          for (let ask = 0; ask < 6; ask++) {
            // So that each comes in between the steps of the others.
            for (let turn = random.below(40); turn > 0; turn--) await null
            if (index === 5 && ask === logOutAt) {
              expect((await logOut(index, token)).status).toBe(200)
            } else got.push(await logInVerified(index))
          }
        })

        for (const { status, body } of got) {
          expect([200, 403]).toContain(status)
          if (status === 403) seen.refused++
          else {
            seen.ended++
            const { token: given } = body as { token: string }
            for (const process of [0, 1]) expect(await read(process, given)).toMatchObject(ENDED)
          }
        }
        expect(await logInVerified(round)).toMatchObject({ status: 403 })
        service.clock.advance(8 * HOUR_MS)
      }
    })

    test('does not make a reader wait: of parallel requests each gets its answer or 401', async () => {
      const { logIn, logOut, read } = await openWithPremium()
      const token = await logIn()

      const got = await atOnce(200, (index) =>
        index === 100 ? logOut(index, token) : read(index, token),
      )

      const counts = countStatuses(got)
      expect((counts[200] ?? 0) + (counts[401] ?? 0)).toBe(200)
      expect(await read(0, token)).toMatchObject(ENDED)
    })
  })
})
