import { describe, expect, test } from 'bun:test'
import type { Statistics } from '../../application/statistics.ts'
import type { Store } from '../../application/store.ts'
import type { ClientNetwork } from '../../domain/client-network.ts'
import type { Email } from '../../domain/email.ts'
import { draftMessage, endMessage } from '../../domain/outbox.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { networkNumber } from '../support/senders.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const at = (ms: number) => new Date(NOON.getTime() + ms)

async function save({ purchases }: Store, purchase: Purchase, madeAt: Date | null = null) {
  const messages = madeAt ? [draftMessage('payment_confirmed', purchase, madeAt)] : []
  await purchases.update(purchase.email, ORIGIN, () => ({ purchase, messages }))
}

async function tryWrong(
  { otps }: Store,
  email: Email,
  moments: readonly Date[],
  network: ClientNetwork | null = networkNumber(1),
) {
  const tries = moments.map((moment) => ({ at: moment, network }))
  await otps.update({ email, sender: 'stranger' }, (record) => ({
    record: { ...record, wrongTries: [...record.wrongTries, ...tries] },
  }))
}

describe.each(STORES)('Statistics on %s', (_, open) => {
  test('are zeros in an empty database', async () => {
    const { statistics }: { statistics: Statistics } = await open()
    expect(await statistics.countPurchases()).toEqual({
      open: 0,
      processing: 0,
      closed: 0,
      review: 0,
      paid: 0,
    })
    expect(await statistics.countOutbox()).toEqual([])
    expect(await statistics.rankWrongTries({ from: at(0), until: at(1), top: 1 })).toEqual({
      tries: 0,
      addresses: 0,
      networks: 0,
      topAddresses: [],
      topNetworks: [],
    })
    expect(await statistics.countServiceMails({ since: at(0), until: at(1) })).toEqual({
      all: 0,
      strangers: 0,
    })
    expect(await statistics.findLastGrantChange()).toBe(0)
    expect(await statistics.countGrantChanges(0)).toEqual({ last: 0, isAll: true, counts: [] })
  })

  test('count purchases by their state of now', async () => {
    const store = await open()
    await save(store, paidPurchase('one'))
    await save(store, paidPurchase('two', { email: BERT }))
    await save(store, openPurchase('three'))
    await save(store, openPurchase('four', { email: BERT }))
    await save(store, openPurchase('four', { email: BERT, state: 'closed' }))
    expect(await store.statistics.countPurchases()).toEqual({
      open: 1,
      processing: 0,
      closed: 1,
      review: 0,
      paid: 2,
    })
  })

  test('count what waits and what was given up, with the moment of the oldest, and nothing else', async () => {
    const store = await open()
    for (const [index, id] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      await save(store, paidPurchase(id), at(index))
    }
    const end = async (id: string, state: 'done' | 'dropped' | 'given_up') => {
      const { key } = draftMessage('payment_confirmed', paidPurchase(id), NOON)
      await store.outbox.update(key, (message) => endMessage(message, state, at(99)))
    }
    await end('one', 'done')
    await end('three', 'given_up')
    await end('four', 'dropped')
    expect(await store.statistics.countOutbox()).toEqual([
      { kind: 'payment_confirmed', state: 'waiting', messages: 2, oldestAt: at(1) },
      { kind: 'payment_confirmed', state: 'given_up', messages: 1, oldestAt: at(2) },
    ])
  })

  test('count wrong codes of all addresses within both moments, these included', async () => {
    const store = await open()
    await tryWrong(store, ANNA, [at(-1), at(0), at(5)])
    await tryWrong(store, BERT, [at(5), at(10), at(11)])
    const window = { from: at(0), until: at(10), top: 1 }
    expect(await store.statistics.rankWrongTries(window)).toMatchObject({ tries: 4 })
  })

  test('rank the addresses and the networks that wrong codes hit and came from', async () => {
    const store = await open()
    const [first, second] = [networkNumber(1), networkNumber(2)]
    await tryWrong(store, ANNA, [at(0), at(1)], first)
    await tryWrong(store, ANNA, [at(2)], second)
    await tryWrong(store, ANNA, [at(3)], null)
    await tryWrong(store, BERT, [at(4), at(5)], second)
    await tryWrong(store, BERT, [at(99)], second)
    const rank = (top: number) =>
      store.statistics.rankWrongTries({ from: at(0), until: at(10), top })
    expect(await rank(10)).toEqual({
      tries: 6,
      addresses: 2,
      networks: 2,
      topAddresses: [
        { email: ANNA, tries: 4 },
        { email: BERT, tries: 2 },
      ],
      topNetworks: [
        { network: second, tries: 3 },
        { network: first, tries: 2 },
      ],
    })
    const { topAddresses, topNetworks } = await rank(1)
    expect([topAddresses, topNetworks]).toEqual([
      [{ email: ANNA, tries: 4 }],
      [{ network: second, tries: 3 }],
    ])
  })

  test('count the mails of the service, and those to strangers, after one moment and up to another', async () => {
    const { otps, statistics } = await open()
    for (const [index, ms] of [0, 1, 2, 3].entries()) {
      const isCustomer = index === 1
      const network = isCustomer ? null : networkNumber(index)
      const serviceMail = { at: at(ms), isCustomer, network }
      await otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({ record, serviceMail }))
    }
    expect(await statistics.countServiceMails({ since: at(0), until: at(2) })).toEqual({
      all: 2,
      strangers: 1,
    })
  })

  test('rank the networks that asked for most mails of the service, whomever they went to', async () => {
    const { otps, statistics } = await open()
    const mails = [
      [0, 3],
      [1, 1],
      [1, 2],
      [2, 2],
      [2, null],
      [2, null],
      [3, 1],
    ] as const
    for (const [ms, number] of mails) {
      const network = number === null ? null : networkNumber(number)
      const serviceMail = { at: at(ms), isCustomer: ms === 1, network }
      await otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({ record, serviceMail }))
    }
    const rank = (top: number) => statistics.rankServiceMails({ since: at(0), until: at(2), top })
    const [first, second] = [networkNumber(1), networkNumber(2)]
    expect(await rank(5)).toEqual([
      { network: second, mails: 2 },
      { network: first, mails: 1 },
    ])
    expect(await rank(1)).toEqual([{ network: second, mails: 2 }])
  })

  test('count the changes of grants after an entry, those that are alike together', async () => {
    const store = await open()
    const { statistics, premiumGrants } = store
    await save(store, paidPurchase('one'))
    await save(store, paidPurchase('two', { email: BERT }))
    const first = await statistics.countGrantChanges(0)
    expect(first).toEqual({
      last: await statistics.findLastGrantChange(),
      isAll: true,
      counts: [{ by: ORIGIN.by, reason: 'paid', isActive: true, changes: 2 }],
    })

    const by = 'webhook'
    const refund = { ...REFUND, amount: 400 }
    await store.refunds.update([refund], { ...ORIGIN, by }, () => refund)
    await premiumGrants.add({ id: 'gift', email: ANNA }, ORIGIN)
    const { counts, last } = await statistics.countGrantChanges(first.last)
    expect(new Set(counts)).toEqual(
      new Set([
        { by, reason: 'refund_pending', isActive: false, changes: 1 },
        { by: ORIGIN.by, reason: 'granted', isActive: true, changes: 1 },
      ]),
    )
    expect(await statistics.countGrantChanges(last)).toEqual({ last, isAll: true, counts: [] })
  })
})
