import { describe, expect, test } from 'bun:test'
import { hasPostgres } from '../support/postgres/binaries.ts'
import {
  ask,
  type Fleet,
  hasPremium,
  openFleet,
  openPage,
  prove,
  severalAtOnce,
} from '../support/replicas/fleet.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atOnce, countStatuses } from '../support/service/real-service.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const BUYERS_AT_ONCE = 10
const CHECKOUTS = IS_WHOLE
  ? Array.from({ length: 49 }, (_, index) => index + 2)
  : [2, 3, 5, 10, 20, 50]
const ERASURES = IS_WHOLE ? 24 : 8
/** About as long as the command takes until it has erased. */
const ERASURE_MS = 600

async function countRows(fleet: Fleet, from: string): Promise<number> {
  const [row] = await fleet.rows(`SELECT count(*)::int AS count FROM ${from}`)
  return Number(row?.['count'])
}

describe.if(hasPostgres())('replicas on one PostgreSQL', () => {
  test('open one session for 2 to 50 parallel checkouts of an address', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const { double } = fleet
    let checkouts = 0
    for (const [round, count] of CHECKOUTS.entries()) {
      const email = `mario-${count}@example.com`
      await prove(fleet, email, { asked: fleet.inTurn(round), typed: fleet.inTurn(round + 1) })

      const got = await atOnce(count, (index) =>
        ask(fleet.inTurn(index), '/checkout', { body: { email } }),
      )

      expect(countStatuses(got)).toEqual({ 200: count })
      expect(new Set(got.map(({ text }) => text)).size).toBe(1)
      const made = [...double.sessions.values()].filter((one) => one.customer_email === email)
      expect(made).toMatchObject([{ id: got[0]?.body['sessionId'], status: 'open' }])
      checkouts += count
    }
    expect(await countRows(fleet, 'purchases')).toBe(CHECKOUTS.length)
    console.log(
      `parallel checkouts over two processes: ${checkouts}, ${double.sessions.size} sessions for ${CHECKOUTS.length} addresses`,
    )
  })

  test('give each of 200 payments that three of them are told of at once one grant, one entry and one mail', async () => {
    await using fleet = await openFleet({ replicas: 3 })
    const { double, mailbox, replicas } = fleet
    const buyers = Array.from({ length: 200 }, (_, number) => `buyer-${number}@example.com`)
    const sessions: string[] = []
    await severalAtOnce(buyers.length, BUYERS_AT_ONCE, async (index) => {
      sessions[index] = await openPage(fleet, buyers[index]!, index)
    })
    const events = sessions.map((sessionId) => double.pay(sessionId).at(-1)!)

    const statuses: number[] = []
    await severalAtOnce(events.length, BUYERS_AT_ONCE, async (index) => {
      const told = replicas.map((alibi) => fleet.deliver(alibi, events[index]!))
      statuses.push(...(await Promise.all(told)))
    })

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(statuses).toHaveLength(3 * buyers.length)
    await fleet.carriedOut()
    expect({
      purchases: await countRows(fleet, "purchases WHERE state = 'paid' AND NOT is_duplicate"),
      entries: await countRows(fleet, "audit_entries WHERE reason = 'paid'"),
      outbox: await countRows(fleet, "outbox WHERE state = 'done'"),
      mails: fleet.confirmations().length,
      addresses: new Set(fleet.confirmations().map(({ to }) => to)).size,
      delivered: mailbox.delivered.filter(({ key }) => key !== null).length,
    }).toEqual({
      purchases: 200,
      entries: 200,
      outbox: 200,
      mails: 200,
      addresses: 200,
      delivered: 200,
    })
    const premium = await Promise.all(
      buyers.map((email, index) => hasPremium(fleet.inTurn(index), email)),
    )
    expect(premium.filter((has) => has)).toHaveLength(200)
    expect(await fleet.run('audit')).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('erase an address whole or not at all while its payment is told of', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const random = seededRandom(16)
    const seen = { erasedThenTold: 0, told: 0, refused: 0 }
    const race = async (number: number) => {
      const email = `buyer-${number}@example.com`
      const sessionId = await openPage(fleet, email, number)
      const delay = random.below(ERASURE_MS)
      const erasing = fleet.run('erase', email, '--yes')
      await Bun.sleep(delay)
      let paid = true
      try {
        const event = fleet.double.pay(sessionId).at(-1)!
        const told = fleet.replicas.map((alibi) => fleet.deliver(alibi, event))
        expect(new Set(await Promise.all(told))).toEqual(new Set([200]))
      } catch (error) {
        // The erasure has closed the page.
        if (!String(error).includes('the session is expired')) throw error
        paid = false
      }
      const { exitCode } = await erasing
      const isKnown = (await countRows(fleet, `purchases WHERE email = '${email}'`)) > 0
      const entries = await countRows(fleet, `audit_entries WHERE email = '${email}'`)
      if (exitCode === 0) {
        expect({ isKnown, entries }).toEqual({ isKnown: false, entries: 0 })
        expect(await hasPremium(fleet.inTurn(number), email)).toBe(false)
        if (paid) seen.told++
        else seen.erasedThenTold++
      } else {
        expect({ exitCode, paid, isKnown }).toEqual({ exitCode: 1, paid: true, isKnown: true })
        expect(await hasPremium(fleet.inTurn(number), email)).toBe(true)
        seen.refused++
      }
    }
    await severalAtOnce(ERASURES, 2, race)
    expect(await fleet.run('audit')).toMatchObject({ exitCode: 0, stdout: '' })
    console.log(`erasures while a payment is told of: ${ERASURES}, ${JSON.stringify(seen)}`)
  })
})
