import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { OtpRecord } from '../../domain/otp.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import {
  atOnce,
  countStatuses,
  type Service,
  serviceSetup,
  wrongCodes,
} from '../support/service/real-service.ts'

const REFUSED = answers(401, 'Invalid or expired code')
const LIMITED = answers(429, 'Too many requests, please try again later')

/** Clients of many networks, since one network gets no more than half of the tries of a day. */
const peerOf = (number: number) => `198.51.${number % 250}.7`

describe.each(PLACES)('on %s', (database, openPlace) => {
  const openService = serviceSetup(openPlace)

  /** What the database remembers about the codes of the address. */
  async function storedRecord({ ports }: Service): Promise<OtpRecord> {
    const { record } = await ports.otps.update({ email: EMAIL, sender: 'stranger' }, (known) => ({
      record: known,
    }))
    return record
  }

  /** Two processes in front of one database, taken in turn, and the code that one of them has mailed. */
  async function openTwoWithCode() {
    const service = await openService()
    const processes = [service, service.openProcess()]
    const code = await service.mailCode()
    const inTurn = (index: number) => processes[index % processes.length]!
    return { service, code, inTurn }
  }

  describe.each(['/auth/login', '/auth/confirm-email'])('parallel requests to %s', (path) => {
    test('of which 200 bring the right code: exactly one gets in', async () => {
      const { service, code, inTurn } = await openTwoWithCode()
      await service.givePremium()

      const got = await atOnce(200, (index) => inTurn(index).post(path, { email: EMAIL, code }))

      expect(countStatuses(got)).toEqual({ 200: 1, 401: 199 })
      expect(await storedRecord(service)).toMatchObject({ current: null, wrongTries: [] })
    })

    test('of which 200 bring a wrong code: exactly five are counted, and the code is dead', async () => {
      const { service, code, inTurn } = await openTwoWithCode()
      await service.givePremium()
      const wrong = wrongCodes(code, 200)

      const got = await atOnce(200, (index) =>
        inTurn(index).post(path, { email: EMAIL, code: wrong[index] }),
      )

      expect(countStatuses(got)).toEqual({ 401: 200 })
      const { current, wrongTries } = await storedRecord(service)
      expect({ current, counted: wrongTries.length }).toEqual({ current: null, counted: 5 })
      expect(await service.post(path, { email: EMAIL, code })).toMatchObject(REFUSED)
    })

    test('of which one is right: it gets in before five wrong ones, or not at all', async () => {
      const { service, code, inTurn } = await openTwoWithCode()
      await service.givePremium()
      const codes = wrongCodes(code, 199)
      codes.splice(3, 0, code)

      const got = await atOnce(200, (index) =>
        inTurn(index).post(path, { email: EMAIL, code: codes[index] }),
      )

      const accepted = got.filter(({ status }) => status === 200).length
      expect(got.filter(({ status }) => status === 401)).toHaveLength(200 - accepted)
      const { current, wrongTries } = await storedRecord(service)
      expect(current).toBeNull()
      if (accepted === 1) expect(wrongTries.length).toBeLessThan(5)
      else expect([accepted, wrongTries.length]).toEqual([0, 5])
    })

    // The connections to a PostgreSQL come to a row in an order of their own.
    if (database === 'sqlite') {
      test.each([
        [0, 1, 0],
        [4, 1, 4],
        [5, 0, 5],
        [199, 0, 5],
      ])(
        'of which one is right, after %d wrong ones: %d gets in and %d are counted',
        async (wrongBefore, accepted, counted) => {
          // To one process: two of them write in turns, each what has come to it by then, and so in their own order.
          const { service, code } = await openTwoWithCode()
          await service.givePremium()
          const codes = wrongCodes(code, 199)
          codes.splice(wrongBefore, 0, code)
          // Who reads what is not in memory yet takes a moment longer, and would lose its turn.
          await service.get(`/auth/check?email=${EMAIL}`)

          const got = await atOnce(200, (index) =>
            service.post(path, { email: EMAIL, code: codes[index] }),
          )

          expect(got.filter(({ status }) => status === 200)).toHaveLength(accepted)
          expect(got.filter(({ status }) => status === 401)).toHaveLength(200 - accepted)
          const { current, wrongTries } = await storedRecord(service)
          expect({ current, counted: wrongTries.length }).toEqual({ current: null, counted })
        },
      )
    }
  })

  test('a code opens one of two doors at the same time, not both', async () => {
    const { service, code, inTurn } = await openTwoWithCode()
    await service.givePremium()

    const got = await atOnce(200, (index) => {
      const path = index % 4 < 2 ? '/auth/login' : '/auth/confirm-email'
      return inTurn(index).post(path, { email: EMAIL, code })
    })

    expect(countStatuses(got)).toEqual({ 200: 1, 401: 199 })
  })

  describe('parallel requests for a code', () => {
    test('send exactly five mails in 15 minutes, all with one code, which works', async () => {
      const service = await openService()
      const processes = [service, service.openProcess()]

      const got = await atOnce(200, (index) =>
        processes[index % 2]!.post('/auth/verify-email', { email: EMAIL }),
      )

      expect(countStatuses(got)).toEqual({ 200: 5, 429: 195 })
      const codes = service.ports.mailer.mails.map(({ code }) => code)
      expect(codes).toHaveLength(5)
      expect(new Set(codes).size).toBe(1)
      const confirmed = await service.post('/auth/confirm-email', { email: EMAIL, code: codes[0] })
      expect(confirmed.status).toBe(200)
    })

    test('by both ways to ask share the five mails and the code', async () => {
      const service = await openService()
      await service.givePremium()

      const got = await atOnce(200, (index) =>
        service.post(index % 2 ? '/auth/request-otp' : '/auth/verify-email', { email: EMAIL }),
      )

      expect(countStatuses(got)).toEqual({ 200: 5, 429: 195 })
      expect(new Set(service.ports.mailer.mails.map(({ code }) => code)).size).toBe(1)
    })

    test('of which none can be mailed count for nothing', async () => {
      const service = await openService()
      service.ports.mailer.outage = true
      // One after the other, since a mail under way does count until it is known to have failed.
      for (let index = 0; index < 20; index++) {
        const answer = await service.post('/auth/verify-email', { email: EMAIL })
        expect(answer).toMatchObject(answers(503, 'Email delivery unavailable'))
      }
      const failed = await atOnce(200, () => service.post('/auth/verify-email', { email: EMAIL }))
      expect(Object.keys(countStatuses(failed)).sort()).toEqual(['429', '503'])
      expect((await storedRecord(service)).mails).toEqual([])

      service.ports.mailer.outage = false
      const got = await atOnce(200, () => service.post('/auth/verify-email', { email: EMAIL }))
      expect(countStatuses(got)).toEqual({ 200: 5, 429: 195 })
    })
  })

  describe('40 wrong tries in 24 hours', () => {
    const SPELLINGS = [
      'ada@example.com',
      ' ADA@example.com',
      'Ada@EXAMPLE.com\t',
      'ada@ｅxample.com',
    ]

    test('are the most there can be, over many codes, right ones, spellings and restarts', async () => {
      const first = await openService()
      await first.givePremium()
      let process: Service | ReturnType<Service['openProcess']> = first
      let wrongTries = 0
      let oldestTryAt: Date | null = null

      for (let round = 0; wrongTries < 40; round++) {
        const email = SPELLINGS[round % SPELLINGS.length]!
        const code = await process.mailCode(email)
        // Every third code ends in a success, which forgives nothing.
        const tries = round % 3 === 2 ? 4 : 5
        for (const wrong of wrongCodes(code, tries).slice(0, 40 - wrongTries)) {
          const peer = peerOf(wrongTries)
          const answer = await process.post('/auth/login', { email, code: wrong }, {}, peer)
          expect(answer).toMatchObject(REFUSED)
          oldestTryAt ??= first.clock.now()
          wrongTries++
        }
        if (tries === 4 && wrongTries < 40) {
          expect((await process.post('/auth/confirm-email', { email, code })).status).toBe(200)
        }
        process.close()
        process = first.openProcess()
        first.clock.advance(72 * MINUTE_MS)
      }
      expect(wrongTries).toBe(40)

      for (const email of SPELLINGS) {
        const code = await process.mailCode(email)
        for (const path of ['/auth/login', '/auth/confirm-email']) {
          const answer = await process.post(path, { email, code })
          expect(answer).toMatchObject(LIMITED)
          const waitMs = oldestTryAt!.getTime() + DAY_MS - first.clock.now().getTime()
          expect(answer.header('retry-after')).toBe(String(Math.ceil(waitMs / 1000)))
        }
      }
    })

    test('are not passed by 200 parallel ones against a new code', async () => {
      const service = await openService()
      for (let round = 0; round < 7; round++) {
        const code = await service.mailCode()
        const wrong = wrongCodes(code, 5)
        await atOnce(5, (index) =>
          service.post('/auth/login', { email: EMAIL, code: wrong[index] }, {}, peerOf(round)),
        )
        service.clock.advance(16 * MINUTE_MS)
      }
      const code = await service.mailCode()
      const wrong = wrongCodes(code, 200)
      const got = await atOnce(200, (index) =>
        service.post('/auth/login', { email: EMAIL, code: wrong[index] }),
      )
      expect(countStatuses(got)).toEqual({ 401: 5, 429: 195 })
      expect((await storedRecord(service)).wrongTries).toHaveLength(40)
    })

    test('stop no other address, and mails go on', async () => {
      const service = await openService()
      for (let round = 0; round < 8; round++) {
        for (const wrong of wrongCodes(await service.mailCode(), 5)) {
          await service.post('/auth/login', { email: EMAIL, code: wrong }, {}, peerOf(round))
        }
        service.clock.advance(16 * MINUTE_MS)
      }
      expect((await service.post('/auth/verify-email', { email: EMAIL })).status).toBe(200)
      const bob = 'bob@example.com'
      const code = await service.mailCode(bob)
      expect((await service.post('/auth/confirm-email', { email: bob, code })).status).toBe(200)
    })
  })
})
