import { describe, expect, test } from 'bun:test'
import {
  type ReadingPlace,
  readOpenPurchases,
} from '../../../application/reconciling/open-purchases.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import { type FakePorts, openBuyer } from '../../support/buyers.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { openPurchase } from '../../support/stores/contract-purchases.ts'

const NEVER = new AbortController().signal

type Buyer = Awaited<ReturnType<typeof openBuyer>>

/** Buyers who have opened a payment page one after the other. */
async function openBuyers(count: number, apartMs = SECOND_MS, ports = fakePorts()) {
  const buyers: Buyer[] = []
  for (let number = 0; number < count; number++) {
    const email = `buyer${number}of${count}@example.com` as Email
    buyers.push(await openBuyer({ ports, email }))
    ports.clock.advance(apartMs)
  }
  ports.payments.calls.length = 0
  return { ports, buyers }
}

/** Looks at everything, or at the first `most`, and says at what. */
async function read(
  ports: FakePorts,
  { place = { after: null }, most = Infinity }: { place?: ReadingPlace; most?: number } = {},
) {
  const seen: string[] = []
  let changes = 0
  for await (const { id, look } of readOpenPurchases(ports, { place, stopping: NEVER })) {
    seen.push(id)
    changes += await look().catch(() => 0)
    if (seen.length >= most) break
  }
  return { seen, changes }
}

const idsOf = (buyers: readonly Buyer[]): string[] => buyers.map(({ purchaseId }) => purchaseId)
const timesOf = (ports: FakePorts, call: string) =>
  ports.payments.calls.filter((one) => one === call).length

describe('open purchases', () => {
  test('are listed, a page for many of them, and what has changed is repaired', async () => {
    const { ports, buyers } = await openBuyers(250)
    buyers[3]!.move('paid')
    buyers[120]!.move('processing')
    buyers[249]!.move('expired')
    expect(await read(ports)).toEqual({ seen: idsOf(buyers), changes: 3 })
    expect(ports.payments.calls).toEqual(['findSessions', 'findSessions', 'findSessions'])
    expect(await buyers[3]!.current()).toMatchObject({ state: 'paid' })
    expect(await buyers[120]!.current()).toMatchObject({ state: 'processing' })
    expect(await buyers[249]!.current()).toMatchObject({ state: 'closed' })
    expect((await read(ports)).changes).toBe(0)
  })

  test('that did not change are not written', async () => {
    const { ports } = await openBuyers(3)
    ports.purchases.updateById = () => Promise.reject(new Error('a write'))
    await Promise.all(
      (
        await Array.fromAsync(readOpenPurchases(ports, { place: { after: null }, stopping: NEVER }))
      ).map(({ look }) => look()),
    )
  })

  test('that are alone in their hour are asked for by themselves', async () => {
    const { ports, buyers } = await openBuyers(4, HOUR_MS + 1)
    buyers[2]!.move('paid')
    expect((await read(ports)).changes).toBe(1)
    expect(ports.payments.calls).toEqual(Array(4).fill('readSession'))
  })

  test('that no list shows are asked for by themselves: the clocks may differ', async () => {
    const { ports, buyers } = await openBuyers(3)
    for (const { sessionId } of buyers) {
      const { order, ...session } = ports.payments.sessions.get(sessionId)!
      const createdAt = new Date(order!.createdAt.getTime() + 20 * MINUTE_MS)
      ports.payments.sessions.set(sessionId, { ...session, order: { ...order!, createdAt } })
    }
    for (const { move } of buyers) move('paid')
    expect((await read(ports)).changes).toBe(3)
    expect(timesOf(ports, 'readSession')).toBe(3)
  })

  test('that lost their answer are found in the list by their own name', async () => {
    const { ports, buyers } = await openBuyers(2)
    const lost = { ...openPurchase('pur_zzz'), createdAt: ports.clock.now() }
    await ports.purchases.update(lost.email, ORIGIN, () => ({ purchase: lost }))
    await ports.payments.createSession(lost)
    ports.payments.calls.length = 0
    // A page for each: the newest session is that of the lost answer.
    ports.payments.pageSize = 1
    await read(ports)
    const sessionId = `cs_test_${lost.id}`
    expect(await ports.purchases.findById(lost.id)).toMatchObject({ state: 'open' })
    ports.payments.pageSize = 100
    ports.payments.move(sessionId, 'paid')
    expect((await read(ports)).changes).toBe(1)
    expect(await ports.purchases.findById(lost.id)).toMatchObject({ state: 'paid', sessionId })
    expect(buyers).toHaveLength(2)
  })

  test('cost no more calls than twice the number of them, however many sessions of others there are', async () => {
    const { ports, buyers } = await openBuyers(5)
    ports.payments.pageSize = 1
    const strange = ports.payments.sessions.get(buyers[4]!.sessionId)!
    for (let number = 0; number < 100; number++) {
      const sessionId = `cs_test_other${number}`
      ports.payments.sessions.set(sessionId, { ...strange, sessionId, purchaseId: null })
    }
    buyers[0]!.move('paid')
    expect((await read(ports)).changes).toBe(1)
    expect(timesOf(ports, 'findSessions')).toBe(5)
    expect(timesOf(ports, 'readSession')).toBe(5)
  })

  test('whose list fails are asked for one by one, and the failure is told', async () => {
    const { ports, buyers } = await openBuyers(3)
    buyers[1]!.move('paid')
    ports.payments.findSessions = async () => {
      throw new Unavailable('payment', { cause: new Error('500'), answered: true })
    }
    expect(await read(ports)).toEqual({
      seen: ['checkout_sessions', ...idsOf(buyers)],
      changes: 1,
    })
  })

  test('are listed no further once it is to stop', async () => {
    const { ports, buyers } = await openBuyers(20)
    ports.payments.pageSize = 1
    const stop = new AbortController()
    const { findSessions } = ports.payments
    ports.payments.findSessions = async (window) => {
      if (timesOf(ports, 'findSessions') === 2) stop.abort()
      return findSessions(window)
    }
    const { value } = await readOpenPurchases(ports, {
      place: { after: null },
      stopping: stop.signal,
    }).next()
    expect(value).toMatchObject({ id: buyers[0]!.purchaseId })
    expect(timesOf(ports, 'findSessions')).toBe(3)
  })

  test('are listed no further once nobody reads on', async () => {
    const { ports } = await openBuyers(2)
    ports.clock.advance(2 * HOUR_MS)
    const later = await openBuyers(20, SECOND_MS, ports)
    ports.payments.pageSize = 1
    const { findSessions } = ports.payments
    ports.payments.findSessions = async (window) => {
      await Bun.sleep(0)
      return findSessions(window)
    }
    expect((await read(ports, { most: 1 })).seen).toHaveLength(1)
    const { length } = ports.payments.calls
    // Each page takes one turn, so that all would have been read in some more than there are pages.
    for (let turn = 0; turn < 100; turn++) await Bun.sleep(0)
    expect(ports.payments.calls.length).toBeLessThanOrEqual(length + 1)
    expect(length).toBeLessThan(later.buyers.length)
  })

  test('keep what a list has shown before it fails', async () => {
    const { ports, buyers } = await openBuyers(3)
    buyers[2]!.move('paid')
    ports.payments.pageSize = 1
    const { findSessions } = ports.payments
    ports.payments.findSessions = async (window) => {
      if (window.cursor !== null) throw new Error('the second page')
      return findSessions(window)
    }
    expect((await read(ports)).changes).toBe(1)
    expect(timesOf(ports, 'readSession')).toBe(2)
  })
})

describe('the longest unread comes first', () => {
  test('with the oldest at the start', async () => {
    const { ports, buyers } = await openBuyers(6)
    expect((await read(ports)).seen).toEqual(idsOf(buyers))
  })

  test('and where a reading was cut short, the next one goes on, once around', async () => {
    const { ports, buyers } = await openBuyers(6)
    const ids = idsOf(buyers)
    const place: ReadingPlace = { after: null }
    expect((await read(ports, { place, most: 2 })).seen).toEqual(ids.slice(0, 2))
    expect((await read(ports, { place, most: 3 })).seen).toEqual(ids.slice(2, 5))
    expect((await read(ports, { place })).seen).toEqual([ids[5]!, ...ids.slice(0, 5)])
    expect((await read(ports, { place })).seen).toEqual([ids[5]!, ...ids.slice(0, 5)])
  })

  test('and one after a purchase that is gone by now misses none', async () => {
    const { ports, buyers } = await openBuyers(2)
    const place: ReadingPlace = { after: 'pur_zzz' as PurchaseId }
    expect((await read(ports, { place })).seen).toEqual(idsOf(buyers))
  })
})
