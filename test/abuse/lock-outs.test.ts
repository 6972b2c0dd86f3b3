import { describe, expect, test } from 'bun:test'
import { unlockEmail } from '../../application/access/unlock-email.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { openService, wrongCodes } from '../support/service/real-service.ts'

// Somebody knows a customer's address and uses up what it gets, so that its owner cannot log in.

const LIMITED = answers(429, 'Too many requests, please try again later')
const WRONG = answers(401, 'Invalid or expired code')

const ATTACKER = '203.0.113.5'
const OWNER = '198.51.100.7'
/** A client of an IPv4 /24 of its own. */
const inOwn24 = (number: number) => `10.${number >> 8}.${number & 255}.7`

async function openTarget() {
  const service = openService()
  await service.givePremium()
  const bearer = (token: string | null) => (token ? { authorization: `Bearer ${token}` } : {})
  async function ask(peer: string, token: string | null = null) {
    return service.post('/auth/verify-email', { email: EMAIL }, bearer(token), peer)
  }
  async function enter(code: string, peer: string, token: string | null = null) {
    const path = token ? '/auth/confirm-email' : '/auth/login'
    return service.post(path, { email: EMAIL, code }, bearer(token), peer)
  }
  const lastCode = () => service.ports.mailer.mails.at(-1)!.code
  /** A token that the owner got yesterday, and that has expired since. */
  async function getOldToken(): Promise<string> {
    await ask(OWNER)
    const { body } = await enter(lastCode(), OWNER)
    service.clock.advance(DAY_MS + HOUR_MS)
    return (body as { token: string }).token
  }
  /** Uses up all mails and tries of strangers, from many networks. */
  async function useUpEverything() {
    for (let round = 0; round < 8; round++) {
      await ask(inOwn24(round))
      for (const wrong of wrongCodes(lastCode(), 5)) await enter(wrong, inOwn24(round))
      service.clock.advance(16 * MINUTE_MS)
    }
    for (let round = 0; round < 12; round++) {
      await ask(inOwn24(100 + round))
      service.clock.advance(4 * MINUTE_MS)
    }
    expect(await ask(OWNER)).toMatchObject(LIMITED)
    expect(await enter('000000', OWNER)).toMatchObject(LIMITED)
  }
  return { service, ask, enter, lastCode, getOldToken, useUpEverything }
}

describe('the owner of an address, without a token', () => {
  test('gets a mail and in, although one client asked for 20 in 64 minutes', async () => {
    const { service, ask, enter, lastCode } = await openTarget()
    const statuses: number[] = []
    for (let round = 0; round < 4; round++) {
      for (let count = 0; count < 5; count++) statuses.push((await ask(ATTACKER)).status)
      service.clock.advance(16 * MINUTE_MS)
    }
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(10).fill(429)])

    expect((await ask(OWNER)).status).toBe(200)
    expect((await enter(lastCode(), OWNER)).status).toBe(200)
  })

  test('gets in, although one client tried 40 wrong codes in 2.9 hours', async () => {
    const { service, ask, enter, lastCode } = await openTarget()
    const outcomes: number[] = []
    for (let round = 0; round < 8; round++) {
      await ask(round < 4 ? ATTACKER : OWNER)
      for (const wrong of wrongCodes(lastCode(), 5)) {
        outcomes.push((await enter(wrong, ATTACKER)).status)
      }
      service.clock.advance(22 * MINUTE_MS)
    }
    expect(outcomes).toEqual([...Array(20).fill(401), ...Array(20).fill(429)])

    expect((await ask(OWNER)).status).toBe(200)
    expect(await enter(lastCode(), ATTACKER)).toMatchObject(LIMITED)
    expect((await enter(lastCode(), OWNER)).status).toBe(200)
  })

  test('waits until the last of what refuses has ended', async () => {
    const { service, ask } = await openTarget()
    for (let count = 0; count < 10; count++) {
      await ask(ATTACKER)
      service.clock.advance(15 * MINUTE_MS)
    }
    const refused = await ask(ATTACKER)
    expect(refused).toMatchObject(LIMITED)
    expect(refused.header('retry-after')).toBe(String((DAY_MS - 150 * MINUTE_MS) / 1000))
  })

  test('gets mails and tries at once when the operator unlocks the address', async () => {
    const { service, ask, enter, lastCode, useUpEverything } = await openTarget()
    await useUpEverything()
    expect(await unlockEmail(service.ports, parseEmail(EMAIL))).toEqual({
      mails: 20,
      wrongTries: 40,
    })
    expect((await ask(OWNER)).status).toBe(200)
    expect((await enter(lastCode(), OWNER)).status).toBe(200)
  })
})

describe('the owner of an address, with an old token', () => {
  test('gets in at once, whatever strangers from any networks have used up', async () => {
    const { ask, enter, lastCode, getOldToken, useUpEverything } = await openTarget()
    const token = await getOldToken()
    await useUpEverything()
    expect((await ask(OWNER, token)).status).toBe(200)
    const { status, body } = await enter(lastCode(), OWNER, token)
    expect([status, body]).toEqual([200, expect.objectContaining({ token: expect.any(String) })])
  })

  test('has 5 mails in 15 minutes, 20 in 24 hours and 40 tries, and no network’s half', async () => {
    const { service, ask, enter, lastCode, getOldToken } = await openTarget()
    const token = await getOldToken()
    for (let round = 0; round < 4; round++) {
      for (let count = 0; count < 5; count++) expect((await ask(OWNER, token)).status).toBe(200)
      expect(await ask(OWNER, token)).toMatchObject(LIMITED)
      for (let count = 0; count < 2; count++) {
        for (const wrong of wrongCodes(lastCode(), 5)) {
          expect(await enter(wrong, OWNER, token)).toMatchObject(WRONG)
        }
      }
      service.clock.advance(15 * MINUTE_MS)
    }
    expect(await ask(OWNER, token)).toMatchObject(LIMITED)
    expect((await ask(OWNER)).status).toBe(200)
  })

  test('has codes that no stranger can use up, nor use', async () => {
    const { ask, enter, lastCode, getOldToken } = await openTarget()
    const token = await getOldToken()
    await ask(OWNER, token)
    const code = lastCode()
    for (let count = 0; count < 50; count++) {
      expect(await enter(code, inOwn24(count))).toMatchObject(WRONG)
    }
    await ask(ATTACKER)
    for (const wrong of wrongCodes(lastCode(), 5)) await enter(wrong, ATTACKER)
    expect((await enter(code, OWNER, token)).status).toBe(200)
  })

  test('is a stranger with a token of somebody else, of before a log-out, or with none at all', async () => {
    const { service, ask, lastCode, enter, getOldToken } = await openTarget()
    const token = await getOldToken()
    await service.givePremium('bob@example.com')
    const bobs = await service.mailCode('bob@example.com')
    const { body } = await service.post('/auth/login', { email: 'bob@example.com', code: bobs })
    const ended = await getOldTokenAfterLogOut()

    for (let count = 0; count < 5; count++) await ask(inOwn24(count))
    for (const other of [(body as { token: string }).token, ended, 'nonsense', null]) {
      expect(await ask(OWNER, other)).toMatchObject(LIMITED)
      expect(await enter('000000', OWNER, other)).toMatchObject(WRONG)
    }

    async function getOldTokenAfterLogOut() {
      await ask(OWNER, token)
      const entered = await enter(lastCode(), OWNER, token)
      const fresh = (entered.body as { token: string }).token
      await service.post('/auth/logout', {}, { authorization: `Bearer ${fresh}` })
      return fresh
    }
  })
})

describe('a clock that was five days ahead for a while', () => {
  test('leaves no code alive, and keeps no mail and no try from the address', async () => {
    const { service, ask, enter, lastCode } = await openTarget()
    service.clock.advance(5 * DAY_MS)
    for (let round = 0; round < 4; round++) {
      await ask(inOwn24(round))
      for (const wrong of wrongCodes(lastCode(), 4)) await enter(wrong, inOwn24(round))
    }
    const early = lastCode()
    service.clock.advance(-5 * DAY_MS)
    expect(await enter(early, OWNER)).toMatchObject(WRONG)
    for (let count = 0; count < 5; count++) expect((await ask(OWNER)).status).toBe(200)
    expect(lastCode()).not.toBe(early)
    expect((await enter(lastCode(), OWNER)).status).toBe(200)
  })
})
