import { describe, expect, test } from 'bun:test'
import type { MailCounts, ServiceMailWindow } from '../../application/otp-repository.ts'
import type { Store } from '../../application/store.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import { type Email, parseEmail } from '../../domain/email.ts'
import type { ServiceMail } from '../../domain/mail-limit.ts'
import { type MailboxDigest, mailboxOf } from '../../domain/mailbox.ts'
import { EMPTY_OTP_RECORD } from '../../domain/otp.ts'
import { NOON } from '../support/fakes.ts'
import { networkNumber } from '../support/senders.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = parseEmail('anna@example.com')
const TAGGED = parseEmail('anna+shop@example.com')
const BERT = parseEmail('bert@example.com')
const [TODAYS, PREVIOUS, OTHER] = ['today', 'previous', 'other'] as MailboxDigest[] as [
  MailboxDigest,
  MailboxDigest,
  MailboxDigest,
]
const at = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE_MS)
const counted = (minutes: number, network = 1) => ({
  at: at(minutes),
  network: networkNumber(network),
})

async function save(store: Store, email: Email, mails: readonly [number, MailboxDigest | null][]) {
  await store.otps.update({ email, sender: 'stranger' }, () => ({
    record: {
      ...EMPTY_OTP_RECORD,
      mails: mails.map(([minutes, mailbox]) => ({ ...counted(minutes), mailbox })),
    },
  }))
}

const WINDOW: ServiceMailWindow = {
  since: at(0),
  until: at(10),
  network: networkNumber(1),
  shares: { all: 3, strangers: 2, network: 1 },
}

async function read(
  { otps }: Store,
  email: Email,
  asked: { mailboxes?: readonly MailboxDigest[]; service?: ServiceMailWindow | null } = {},
): Promise<MailCounts> {
  const { counts } = await otps.updateMails(
    { email, sender: 'stranger' },
    { mailboxes: [], service: null, ...asked },
    (found) => ({ record: found.record, counts: found }),
  )
  return counts
}

async function mailFor({ otps }: Store, mail: ServiceMail) {
  await otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
    record,
    serviceMail: mail,
  }))
}

const toStranger = (minutes: number, network = 1): ServiceMail => ({
  ...counted(minutes, network),
  isCustomer: false,
})
const toCustomer = (minutes: number, network: number | null = null): ServiceMail => ({
  at: at(minutes),
  network: network === null ? null : networkNumber(network),
  isCustomer: true,
})

describe.each(STORES)('the mails of a mailbox on %s', (_, open) => {
  test('are those under any of its digests, to every address', async () => {
    const store = await open()
    await save(store, ANNA, [
      [1, TODAYS],
      [2, PREVIOUS],
      [3, null],
    ])
    await save(store, TAGGED, [[4, TODAYS]])
    await save(store, BERT, [[5, OTHER]])
    const { mailboxMails } = await read(store, BERT, { mailboxes: [TODAYS, PREVIOUS] })
    expect(new Set(mailboxMails)).toEqual(new Set([counted(1), counted(2), counted(4)]))
    expect((await read(store, ANNA)).mailboxMails).toEqual([])
  })

  test('are found without a key, and can be forgotten, while their addresses keep theirs', async () => {
    const { otps, ...rest } = await open()
    const store = { otps, ...rest }
    await save(store, ANNA, [[1, TODAYS]])
    await save(store, TAGGED, [
      [2, PREVIOUS],
      [3, null],
    ])
    await save(store, BERT, [[4, OTHER]])
    const both = new Set([counted(1), counted(2)])
    expect(new Set(await otps.findMailboxMails(mailboxOf(ANNA)))).toEqual(both)
    expect(new Set(await otps.forgetMailbox(mailboxOf(TAGGED)))).toEqual(both)
    expect(await otps.findMailboxMails(mailboxOf(ANNA))).toEqual([])
    const { record, mailboxMails } = await read(store, TAGGED, { mailboxes: [TODAYS, PREVIOUS] })
    expect([record.mails.length, mailboxMails]).toEqual([2, []])
    expect(await otps.findMailboxMails(mailboxOf(BERT))).toHaveLength(1)
  })
})

describe.each(STORES)('the mails of the whole service on %s', (_, open) => {
  test('fill a share from the moment of its nth newest on', async () => {
    const store = await open()
    const full = async () => (await read(store, BERT, { service: WINDOW })).fullShares
    expect(await full()).toEqual({ all: null, strangers: null, network: null })
    await mailFor(store, toCustomer(3))
    expect(await full()).toEqual({ all: null, strangers: null, network: null })
    await mailFor(store, toStranger(2, 2))
    expect(await full()).toEqual({ all: null, strangers: null, network: null })
    await mailFor(store, toStranger(1, 1))
    expect(await full()).toEqual({ all: at(1), strangers: at(1), network: at(1) })
    await mailFor(store, toStranger(5, 1))
    expect(await full()).toEqual({ all: at(2), strangers: at(2), network: at(5) })
    await mailFor(store, toCustomer(6, 1))
    await mailFor(store, toCustomer(7, 2))
    expect(await full()).toEqual({ all: at(5), strangers: at(2), network: at(6) })
  })

  test('count within the window alone, and those from after it are deleted', async () => {
    const store = await open()
    for (const minutes of [0, 10, 11]) await mailFor(store, toStranger(minutes))
    const one = { ...WINDOW, shares: { all: 2, strangers: 1, network: 1 } }
    const { fullShares } = await read(store, BERT, { service: one })
    expect(fullShares).toEqual({ all: null, strangers: at(10), network: at(10) })
    const window = { since: at(-99), until: at(99) }
    expect(await store.statistics.countServiceMails(window)).toEqual({ all: 2, strangers: 2 })
  })

  test('fill nothing where nothing bounds them, and nothing for a network without a name', async () => {
    const store = await open()
    for (const minutes of [1, 2, 3]) await mailFor(store, toStranger(minutes))
    expect((await read(store, BERT)).fullShares.all).toBeNull()
    const service = { ...WINDOW, network: null }
    expect((await read(store, BERT, { service })).fullShares.network).toBeNull()
  })

  test('are given back one by one, together with the record', async () => {
    const store = await open()
    const mail = toStranger(1)
    for (let count = 0; count < 2; count++) await mailFor(store, mail)
    await mailFor(store, toCustomer(1, 1))
    const owner = { email: ANNA, sender: 'stranger' } as const
    const release = (released: ServiceMail) =>
      store.otps.update(owner, (record) => ({ record, releasedServiceMail: released }))
    const count = () => store.statistics.countServiceMails({ since: at(0), until: at(2) })
    await release(mail)
    expect(await count()).toEqual({ all: 2, strangers: 1 })
    await release(toStranger(1, 2))
    await release(toCustomer(1, 1))
    expect(await count()).toEqual({ all: 1, strangers: 1 })
  })

  test('stay as they were when the change throws', async () => {
    const store = await open()
    const refused = store.otps.updateMails(
      { email: ANNA, sender: 'stranger' },
      { mailboxes: [], service: WINDOW },
      () => {
        throw new Error('refused')
      },
    )
    await expect(refused).rejects.toThrow('refused')
    const window = { since: at(-99), until: at(99) }
    expect(await store.statistics.countServiceMails(window)).toEqual({ all: 0, strangers: 0 })
  })

  test('are counted one by one by 100 at once', async () => {
    const store = await open()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_unused, index) =>
        store.otps.updateMails(
          { email: parseEmail(`person${index}@example.com`), sender: 'stranger' },
          { mailboxes: [], service: WINDOW },
          ({ record, fullShares }) => {
            if (fullShares.all) throw new Error('full')
            return { record, serviceMail: toStranger(1, index) }
          },
        ),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })
})
