import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import type { ServiceMailWindow } from '../../../application/otp-repository.ts'
import type { Store } from '../../../application/store.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import type { FullShares, ServiceMail } from '../../../domain/mail-limit.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON } from '../../support/fakes.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { networkNumber } from '../../support/senders.ts'
import { ANNA } from '../../support/stores/contract-purchases.ts'
import { memoryStore } from '../../support/stores/memory-store.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'

const OWNER = { email: ANNA, sender: 'stranger' } as const
const SHARES = { all: 12, strangers: 6, network: 3 }

const at = (minute: number) => new Date(NOON.getTime() + minute * MINUTE_MS)

const windowUntil = (minute: number, network: number): ServiceMailWindow => ({
  since: at(minute - 10),
  until: at(minute + 1),
  network: networkNumber(network),
  shares: SHARES,
})

const mailFrom = (minute: number, network: number | null, isCustomer = true): ServiceMail => ({
  at: at(minute),
  isCustomer,
  network: network === null ? null : networkNumber(network),
})

/** What is full, before the mail counts, if there is one. */
async function ask(
  { otps }: Store,
  window: ServiceMailWindow,
  mail: ServiceMail | null,
): Promise<FullShares> {
  const counted = { mailboxes: [], service: window }
  const { found } = await otps.updateMails(OWNER, counted, ({ record, fullShares }) => ({
    record,
    serviceMail: mail,
    found: fullShares,
  }))
  return found
}

const release = ({ otps }: Store, mail: ServiceMail) =>
  otps.update(OWNER, (record) => ({ record, releasedServiceMail: mail }))

test('the shares are full as if all mails were counted each time, whatever comes, goes and is set back', async () => {
  const random = seededRandom(15)
  const stores = [sqliteStore(openTemporaryDatabase()), memoryStore()] as const
  const sent: ServiceMail[] = []
  let minute = 0
  const fullTimes = { all: 0, strangers: 0, network: 0 }
  for (let step = 0; step < 600; step++) {
    minute += random.pick([0, 0, 0, 0, 1, 1, 2, -3])
    const network = random.below(4)
    const window = windowUntil(minute, network)
    const released = random.below(5) === 0 ? random.pick([...sent, null]) : null
    if (released) {
      sent.splice(sent.indexOf(released), 1)
      await Promise.all(stores.map((store) => release(store, released)))
    }
    const mail =
      random.below(6) === 0
        ? null
        : mailFrom(minute, random.pick([null, network]), random.below(2) === 0)
    const [found, counted] = await Promise.all(stores.map((store) => ask(store, window, mail)))
    expect(found!).toEqual(counted!)
    if (mail) sent.push(mail)
    for (const share of ['all', 'strangers', 'network'] as const)
      if (found![share]) fullTimes[share]++
  }
  expect(Math.min(...Object.values(fullTimes))).toBeGreaterThan(50)
})

test('a mail that was given back in a commit that failed still counts', async () => {
  const database = openTemporaryDatabase()
  const store = sqliteStore(database)
  const mail = mailFrom(0, null)
  for (let count = 0; count < SHARES.all; count++) await ask(store, windowUntil(0, 1), mail)

  renameSync(database.path, `${database.path}-away`)
  const written = await Promise.allSettled([
    release(store, mail),
    ask(store, windowUntil(0, 1), mail),
  ])
  renameSync(`${database.path}-away`, database.path)
  for (const one of written) {
    expect(one.status === 'rejected' && one.reason).toBeInstanceOf(Unavailable)
  }

  expect((await ask(store, windowUntil(0, 1), null)).all).toEqual(at(0))
})
