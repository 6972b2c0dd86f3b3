import { describe, expect, test } from 'bun:test'
import { eraseEmail } from '../../application/customers/erase-email.ts'
import type { Email } from '../../domain/email.ts'
import { checkLedger } from '../support/payments/sound-ledger.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { PLACES } from '../support/service/places.ts'
import { serviceSetup } from '../support/service/real-service.ts'

const BUYERS = 60

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  /**
   * Two processes in front of one database: in one of them a buyer proves the address, opens a payment page and pays,
   * while the other one erases it.
   */
  test('an erasure among everything else that a buyer does leaves no half of an account behind', async () => {
    const service = await openService()
    const operator = service.openProcess()
    const random = seededRandom(6)
    const { payments } = service.ports
    const seen = { erased: 0, unknown: 0, refused: 0, tooLate: 0 }

    let number = 0
    // Until both have been the first: who that is hangs on the machine, too.
    for (; number < BUYERS || seen.erased === 0 || seen.tooLate === 0; number++) {
      const email = `buyer-${number}@example.com` as Email
      await service.verify(email)
      const pause = async (turns: number) => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      }
      const turns = [random.below(40), random.below(40), random.below(40)] as const
      const [erasure, checkout] = await Promise.all([
        pause(turns[0]).then(() => eraseEmail(operator.ports, email)),
        pause(turns[1]).then(() => service.post('/checkout', { email })),
      ])
      const session = [...payments.sessions.values()].findLast((one) => one.order?.email === email)
      if (session?.outcome === 'open') {
        payments.move(session.sessionId, 'paid')
        await service.get(`/payment/success?session_id=${session.sessionId}`)
      }

      seen[erasure.outcome]++
      const rows = Object.values(await service.contents()).flat()
      const mentioned = rows.filter((row) => JSON.stringify(row).includes(email))
      if (erasure.outcome === 'erased') {
        expect(mentioned).toEqual([])
        expect(checkout.status === 200 && session?.outcome === 'open').toBe(false)
        if (checkout.status === 403) seen.tooLate++
      } else {
        expect(checkout.status).toBe(200)
        expect(await service.hasPremium(email)).toBe(true)
      }
    }
    await checkLedger(service.ports)
    process.stdout.write(`erasures among checkouts: ${number}, ${JSON.stringify(seen)}\n`)
  })
})
