import { describe, expect, test } from 'bun:test'
import { answers, EMAIL } from '../interfaces/http-client.ts'
import { atOnce, countStatuses, openService } from '../real-service.ts'

const ENDED = answers(401, 'Invalid or expired token')

/** Two processes in front of one database, and an address with premium. */
async function openWithPremium() {
  const service = openService()
  await service.givePremium()
  const processes = [service, service.openProcess()]
  const inTurn = (index: number) => processes[index % processes.length]!
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  async function logIn(): Promise<string> {
    const code = await service.mailCode()
    const { body } = await service.post('/auth/login', { email: EMAIL, code })
    return (body as { token: string }).token
  }
  return {
    service,
    inTurn,
    logIn,
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
      service.clock.advance(8 * 3_600_000)
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
