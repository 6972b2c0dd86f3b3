import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../application/access/redeem-otp.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import {
  rankRecentWrongTries,
  watchWrongCodes,
} from '../../../application/access/watch-wrong-codes.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { ATTEMPTS_MAX, parseOtpCode } from '../../../domain/otp.ts'
import { fakePorts } from '../../support/fakes.ts'
import { STRANGER } from '../../support/senders.ts'

const WRONG = parseOtpCode('999999')
const WARNING = 'codes.guessing_suspected'
const CALM = 'codes.guessing_ended'

function open() {
  const ports = fakePorts()
  let guessed = 0
  /** Tries on many addresses, on each of them as many as kill its code. */
  async function guess(tries: number) {
    for (let left = tries; left > 0; left -= ATTEMPTS_MAX) {
      const email = parseEmail(`victim${++guessed}@example.com`)
      await sendCode(ports, { email, language: 'en', sender: STRANGER })
      for (let count = 0; count < Math.min(left, ATTEMPTS_MAX); count++) {
        await expect(redeemOtp(ports, { email, code: WRONG, sender: STRANGER })).rejects.toThrow(
          'invalid_code',
        )
      }
    }
  }
  const told = () => ports.log.lines.map(({ level, event, fields }) => ({ level, event, fields }))
  return { ports, guess, told, look: watchWrongCodes(ports) }
}

describe('watching wrong codes', () => {
  test('says nothing of 199 in an hour, and warns once of 200', async () => {
    const { guess, told, look } = open()
    await guess(199)
    await look()
    expect(told()).toEqual([])

    await guess(1)
    for (let minutes = 0; minutes < 3; minutes++) await look()
    const fields = {
      wrongTries: 200,
      withinMinutes: 60,
      addresses: 41,
      networks: 1,
      worstNetworks: '10.0.1.0/24 (200)',
    }
    expect(told()).toEqual([{ level: 'warn', event: WARNING, fields }])
  })

  test('logs once that it is over, and warns again when it begins again', async () => {
    const { ports, guess, told, look } = open()
    await guess(200)
    await look()
    ports.clock.advance(HOUR_MS)
    // To the millisecond an hour ago still counts.
    await look()
    ports.clock.advance(1)
    for (let minutes = 0; minutes < 3; minutes++) await look()
    await guess(200)
    await look()
    expect(told().map(({ level, event }) => [level, event])).toEqual([
      ['warn', WARNING],
      ['info', CALM],
      ['warn', WARNING],
    ])
  })

  test('does not go on and off while the number goes around 200', async () => {
    const { ports, guess, told, look } = open()
    await guess(100)
    ports.clock.advance(10 * MINUTE_MS)
    await guess(100)
    await look()
    for (let round = 0; round < 6; round++) {
      ports.clock.advance(51 * MINUTE_MS)
      await look()
      await guess(100)
      await look()
      ports.clock.advance(9 * MINUTE_MS)
    }
    expect(told()).toHaveLength(1)
  })

  test('names no address and no code', async () => {
    const { guess, told, look } = open()
    await guess(200)
    await look()
    expect(JSON.stringify(told())).not.toMatch(/victim|999999/)
  })

  test('does not count what a clock that was wrong has put into the future', async () => {
    const { ports, guess } = open()
    ports.clock.advance(DAY_MS)
    await guess(5)
    ports.clock.advance(-DAY_MS)
    expect(await rankRecentWrongTries(ports, { top: 1 })).toMatchObject({ tries: 0 })
  })
})
