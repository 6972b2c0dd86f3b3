import { describe, expect, test } from 'bun:test'
import { pruneExpired } from '../../application/upkeep/prune-expired.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { openService, wrongCodes } from '../support/service/real-service.ts'

// Somebody has the service mail codes to addresses without end, so that its database grows.

const RUNNING = new AbortController().signal
/** A client of an IPv4 /24 of its own. */
const inOwn24 = (number: number) => `10.${number >> 8}.${number & 255}.7`
/** As long as an address can be: 64 characters before the @, and 254 in all. */
const longAddress = (number: number) =>
  `${`stranger${number}`.padEnd(64, 'x')}@${`${'d'.repeat(63)}.`.repeat(2)}${'d'.repeat(57)}.com`

function openTarget(limit: number) {
  const service = openService({ mailLimit: { limit, windowMs: HOUR_MS } })
  const { ports, connection } = service
  return {
    ...service,
    mails: ports.mailer.mails,
    ask: (email: string, peer: string) => service.post('/auth/verify-email', { email }, {}, peer),
    prune: () => pruneExpired(ports, { pause: async () => {}, stopping: RUNNING }),
    sizeBytes() {
      const [row] = connection!
        .query<{ bytes: number }, []>(
          'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
        )
        .all()
      return row?.bytes ?? 0
    },
  }
}

describe('what strangers have stored', () => {
  test('is less than 5 kB for each mail of MAIL_LIMIT, with all five tries and the longest address', async () => {
    const { ask, post, mails, sizeBytes } = openTarget(400)
    const before = sizeBytes()
    for (let number = 0; number < 200; number++) {
      const email = longAddress(number)
      expect(email).toHaveLength(254)
      expect((await ask(email, inOwn24(number))).status).toBe(200)
      for (const code of wrongCodes(mails.at(-1)!.code, 5)) {
        await post('/auth/login', { email, code }, {}, inOwn24(number))
      }
    }
    expect((sizeBytes() - before) / 200).toBeLessThan(5000)

    const full = sizeBytes()
    for (let number = 200; number < 400; number++) {
      expect((await ask(longAddress(number), inOwn24(number))).status).toBe(503)
    }
    expect(sizeBytes()).toBe(full)
  })

  test('goes as soon as no limit needs it: codes once they have run out, the rest after a day', async () => {
    const { ask, clock, prune, contents } = openTarget(100)
    const kept = async () => JSON.stringify(await contents())
    for (let number = 0; number < 10; number++) {
      await ask(`stranger${number}@example.org`, inOwn24(number))
    }
    clock.advance(10 * MINUTE_MS)
    expect(await prune()).toEqual({ unproven_codes: 10 })
    clock.advance(HOUR_MS)
    expect(await prune()).toEqual({ service_mails: 10 })
    expect(await kept()).toContain('stranger')
    clock.advance(DAY_MS - HOUR_MS)
    expect(await prune()).toEqual({ code_mails: 10 })
    expect(await kept()).not.toContain('stranger')
    expect(await kept()).not.toContain('10.0.1.0/24')
  })
})
