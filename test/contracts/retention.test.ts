import { describe, expect, test } from 'bun:test'
import type { Store } from '../../application/store.ts'
import { mergeDispute } from '../../domain/dispute.ts'
import { DAY_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { type ErasedEmailDigest, erasedEmail } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import { EMPTY_OTP_RECORD, type OtpSeed } from '../../domain/otp.ts'
import { draftMessage, endMessage } from '../../domain/outbox.ts'
import { mergeRefund } from '../../domain/refund.ts'
import type { PrunedKind } from '../../domain/retention.ts'
import { NOON, ORIGIN, saveVerification } from '../support/fakes.ts'
import { networkNumber } from '../support/senders.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
  SESSION,
} from '../support/stores/contract-purchases.ts'
import { findLogOut } from '../support/stores/log-outs.ts'
import { DATABASES, STORES } from '../support/stores/stores.ts'

/** Longer ago than the audit trail's own trigger asks for, by the clock of whatever machine this runs on. */
const UP_TO = new Date(Date.UTC(2015, 0, 1))
const at = (afterMs: number) => new Date(UP_TO.getTime() + afterMs)
/** Two that are of no use since then or longer, and one that is. */
const MOMENTS = [-1000, 0, 1].map(at)

const epochOf = (moment: Date) => moment.getTime() as Epoch
const UP_TO_EPOCH = epochOf(UP_TO)
const addressOf = (moment: Date) => `at${moment.getTime()}@example.com` as Email

type Kind = {
  /** Stores one thing that is of no use from the moment on. */
  readonly add: (store: Store, moment: Date, number: number) => Promise<unknown>
  /** Those that are there, by the numbers under which they were stored. */
  readonly left: (store: Store) => Promise<readonly number[]>
}

const ofAddress =
  (isThere: (store: Store, email: Email) => Promise<boolean>) => async (store: Store) => {
    const there = await Promise.all(MOMENTS.map((moment) => isThere(store, addressOf(moment))))
    return MOMENTS.flatMap((_, number) => (there[number] ? [number] : []))
  }

type OtherKind =
  | 'sandbox_sessions'
  | 'log_outs'
  | 'unproven_codes'
  | 'future_code_mails'
  | 'future_wrong_tries'

const KINDS: Readonly<Record<Exclude<PrunedKind, OtherKind>, Kind>> = {
  codes: {
    add: ({ otps }, expiresAt) =>
      otps.update({ email: addressOf(expiresAt), sender: 'stranger' }, (record) => ({
        record: {
          ...record,
          current: { seed: 's' as OtpSeed, issuedAt: NOON, expiresAt, attemptsLeft: 1 },
        },
      })),
    left: ofAddress(
      async ({ personalData }, email) => (await personalData.find(email)).codes.length > 0,
    ),
  },
  code_mails: {
    add: ({ otps }, moment) =>
      otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
        record: { ...record, mails: [...record.mails, { ...counted(moment), mailbox: null }] },
      })),
    left: async ({ personalData }) => numbersOf((await personalData.find(ANNA)).codeMails),
  },
  wrong_tries: {
    add: ({ otps }, moment) =>
      otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
        record: { ...record, wrongTries: [...record.wrongTries, counted(moment)] },
      })),
    left: async ({ personalData }) => numbersOf((await personalData.find(ANNA)).wrongTries),
  },
  service_mails: {
    add: ({ otps }, at) =>
      otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
        record,
        serviceMail: { at, isCustomer: false, network: networkNumber(1) },
      })),
    async left({ statistics }) {
      const isThere = async (moment: Date) => {
        const window = { since: new Date(moment.getTime() - 1), until: moment }
        return (await statistics.countServiceMails(window)).all > 0
      }
      const there = await Promise.all(MOMENTS.map(isThere))
      return MOMENTS.flatMap((_, number) => (there[number] ? [number] : []))
    },
  },
  verifications: {
    add: (store, expiresAt) =>
      saveVerification(store, {
        email: addressOf(expiresAt),
        verifiedAt: NOON,
        expiresAt,
        codeChallenge: null,
        epoch: FIRST_EPOCH,
      }),
    left: ofAddress(
      async ({ verifications }, email) => (await verifications.findByEmail(email)) !== null,
    ),
  },
  messages: {
    add: ({ purchases }, moment, number) => {
      const draft = draftMessage('payment_confirmed', paidPurchase(`pur_${number}`), NOON)
      const message = endMessage(draft, number % 2 ? 'done' : 'dropped', moment)
      return purchases.update(ANNA, ORIGIN, () => ({ purchase: null, messages: [message] }))
    },
    left: async ({ outbox }) => {
      const left = MOMENTS.map((_, number) =>
        outbox.findByPurchase(paidPurchase(`pur_${number}`).id),
      )
      return (await Promise.all(left)).flatMap((messages, number) =>
        messages.length > 0 ? [number] : [],
      )
    },
  },
  unpaid_purchases: {
    add: ({ purchases }, expiresAt, number) => {
      const purchase = openPurchase(`pur_${number}`, { state: 'closed', expiresAt })
      return purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    },
    left: async ({ purchases }) =>
      (await purchases.findAccount(ANNA)).purchases.map(({ id }) => Number(id.slice(4))),
  },
  foreign_reversals: {
    add: ({ refunds }, moment, number) => {
      const refund = { ...REFUND, id: `re_${number}`, paymentIntentId: `pi_${number}` }
      return refunds.update([refund], { ...ORIGIN, at: moment }, mergeRefund)
    },
    left: async ({ refunds }) => {
      const left = await Promise.all(MOMENTS.map((_, number) => refunds.findById(`re_${number}`)))
      return left.flatMap((refund, number) => (refund ? [number] : []))
    },
  },
  audit_entries: {
    add: ({ premiumGrants }, moment, number) =>
      premiumGrants.add({ id: `grant_${number}`, email: ANNA }, { ...ORIGIN, at: moment }),
    left: async ({ auditTrail }) =>
      (await auditTrail.findByEmail(ANNA)).map(({ grantId }) => Number(grantId.slice(6))),
  },
}

function counted(at: Date) {
  return { at, network: networkNumber(1) }
}

function numbersOf(counted: readonly { readonly at: Date }[]): readonly number[] {
  return counted.map(({ at }) => MOMENTS.findIndex((one) => one.getTime() === at.getTime()))
}

describe.each(STORES)('Retention on %s', (_, open) => {
  test.each(Object.entries(KINDS))(
    'prunes %s that are of no use, as many as are asked for, and nothing else',
    async (kind, { add, left }) => {
      const store = await open()
      for (const [number, moment] of MOMENTS.entries()) await add(store, moment, number)
      const prune = (limit: number) =>
        store.retention.prune(kind as PrunedKind, { upTo: UP_TO, limit })
      expect(await left(store)).toEqual([0, 1, 2])

      for (const other of Object.keys(KINDS).filter((one) => one !== kind)) {
        await store.retention.prune(other as PrunedKind, { upTo: UP_TO, limit: 10 })
      }
      expect(await left(store)).toEqual([0, 1, 2])
      expect(await prune(1)).toBe(1)
      expect(await left(store)).toHaveLength(2)
      expect(await prune(10)).toBe(1)
      expect(await left(store)).toEqual([2])
      expect(await prune(10)).toBe(0)
    },
  )

  test('prunes codes that have run out sooner where nothing else is known of the address', async () => {
    const store = await open()
    const [unknown, verified, granted, buyer] = ['u', 'v', 'g', 'b'].map(
      (name) => `${name}@example.com` as Email,
    ) as [Email, Email, Email, Email]
    await saveVerification(store, {
      email: verified,
      verifiedAt: NOON,
      expiresAt: NOON,
      codeChallenge: null,
      epoch: FIRST_EPOCH,
    })
    await store.premiumGrants.add({ id: 'grant_1', email: granted }, ORIGIN)
    const purchase = openPurchase('pur_1', { email: buyer })
    await store.purchases.update(buyer, ORIGIN, () => ({ purchase }))
    const everybody = [unknown, verified, granted, buyer]
    const current = { seed: 's' as OtpSeed, issuedAt: NOON, expiresAt: UP_TO, attemptsLeft: 1 }
    for (const email of everybody) {
      await store.otps.update({ email, sender: 'stranger' }, (record) => ({
        record: { ...record, current },
      }))
    }
    const prune = (upTo: Date) => store.retention.prune('unproven_codes', { upTo, limit: 10 })
    expect(await prune(at(-1))).toBe(0)
    expect(await prune(UP_TO)).toBe(1)
    const left = await Promise.all(everybody.map((email) => store.personalData.find(email)))
    expect(left.map(({ codes }) => codes.length)).toEqual([0, 1, 1, 1])
  })

  test.each([
    ['future_code_mails', 'code_mails'],
    ['future_wrong_tries', 'wrong_tries'],
  ] as const)('prunes %s, which would count when that hour comes', async (kind, same) => {
    const store = await open()
    for (const [number, moment] of MOMENTS.entries()) await KINDS[same].add(store, moment, number)
    const prune = (upTo: Date) => store.retention.prune(kind, { upTo, limit: 10 })
    expect(await prune(at(1))).toBe(0)
    expect(await prune(at(-1000))).toBe(2)
    expect(await KINDS[same].left(store)).toEqual([0])
  })

  test('forgets the first code of an address without the one that replaces it', async () => {
    const store = await open()
    const otp = { seed: 's' as OtpSeed, issuedAt: NOON, attemptsLeft: 1 }
    const current = { ...otp, expiresAt: UP_TO }
    const replacement = { ...otp, expiresAt: at(1) }
    await store.otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
      record: { ...record, current, replacement },
    }))
    expect(await store.retention.prune('codes', { upTo: UP_TO, limit: 10 })).toBe(1)
    const { record } = await store.otps.update({ email: ANNA, sender: 'stranger' }, (known) => ({
      record: known,
    }))
    expect(record).toEqual({ ...EMPTY_OTP_RECORD, replacement })
  })

  test('keeps messages that wait, and those that an operator has to see to', async () => {
    const store = await open()
    const waiting = draftMessage('payment_failed', paidPurchase('one'), UP_TO)
    const givenUp = endMessage(
      draftMessage('payment_confirmed', paidPurchase('one'), UP_TO),
      'given_up',
      at(-1),
    )
    const messages = [waiting, givenUp]
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: null, messages }))
    expect(await store.retention.prune('messages', { upTo: UP_TO, limit: 10 })).toBe(0)
    expect(await store.outbox.findByPurchase(paidPurchase('one').id)).toHaveLength(2)
  })

  test('keeps every purchase that is not closed, and closed ones of erased addresses', async () => {
    const store = await open()
    const old = { expiresAt: at(-1) }
    const kept = [
      paidPurchase('pur_1', old),
      openPurchase('pur_2', { ...old, state: 'review', reviewReason: 'amount', amountReceived: 1 }),
      openPurchase('pur_3', { ...old, state: 'processing' }),
      openPurchase('pur_4', old),
      openPurchase('pur_5', { ...old, state: 'closed', email: erasedEmail('1') }),
    ]
    for (const purchase of kept) {
      await store.purchases.update(purchase.email, ORIGIN, () => ({ purchase }))
    }
    expect(await store.retention.prune('unpaid_purchases', { upTo: UP_TO, limit: 10 })).toBe(0)
    for (const purchase of kept) {
      expect(await store.purchases.findById(purchase.id)).toEqual(purchase)
    }
  })

  describe('of refunds and disputes', () => {
    const stored = { ...ORIGIN, at: at(-1) }
    const refund = { ...REFUND, paymentIntentId: 'pi_one' }
    const dispute = {
      id: 'du_1',
      paymentIntentId: 'pi_one',
      state: 'open',
      reportedAt: NOON,
    } as const

    async function openWithReversals() {
      const store = await open()
      await store.refunds.update([refund], stored, mergeRefund)
      await store.disputes.update([dispute], stored, mergeDispute)
      const prune = () => store.retention.prune('foreign_reversals', { upTo: UP_TO, limit: 10 })
      const left = async () => [
        await store.refunds.findById(refund.id),
        await store.disputes.findById(dispute.id),
      ]
      return { ...store, prune, left }
    }

    test('forgets all of a payment that no purchase has', async () => {
      const { prune, left } = await openWithReversals()
      expect(await prune()).toBe(1)
      expect(await left()).toEqual([null, null])
    })

    test('counts from the first one that was stored of a payment, whatever came after it', async () => {
      const { refunds, disputes, prune, left } = await openWithReversals()
      await refunds.update([{ ...refund, state: 'failed' }], { ...stored, at: NOON }, mergeRefund)
      const later = { ...dispute, id: 'du_2' }
      await disputes.update([later], { ...stored, at: NOON }, mergeDispute)
      expect(await prune()).toBe(1)
      expect([...(await left()), await disputes.findById('du_2')]).toEqual([null, null, null])
    })

    test('keeps those of a purchase, known before them or after them, for good', async () => {
      const { purchases, refunds, prune, left } = await openWithReversals()
      const purchase = paidPurchase('pur_1', { paymentIntentId: 'pi_one' })
      await purchases.update(ANNA, stored, () => ({ purchase }))
      const another = { ...refund, id: 're_2', amount: 1 }
      await refunds.update([another], stored, mergeRefund)
      for (let rounds = 0; rounds < 2; rounds++) expect(await prune()).toBe(0)
      expect([...(await left()), await refunds.findById('re_2')]).toEqual([
        refund,
        dispute,
        another,
      ])
    })

    test('keeps all while a purchase is open for as long: the payment may be its own', async () => {
      const { purchases, prune, left } = await openWithReversals()
      const purchase = openPurchase('pur_1', { createdAt: UP_TO })
      await purchases.update(ANNA, stored, () => ({ purchase }))
      expect(await prune()).toBe(0)
      await purchases.update(ANNA, stored, () => ({ purchase: { ...purchase, state: 'closed' } }))
      await purchases.update(BERT, stored, () => ({
        purchase: openPurchase('pur_2', { email: BERT, createdAt: at(1) }),
      }))
      expect(await prune()).toBe(1)
      expect(await left()).toEqual([null, null])
    })
  })

  test('forgets log-outs, those of erased addresses too, and ends every token from before for good', async () => {
    const { logOuts, access, personalData, retention } = await open()
    const [first, second, third] = MOMENTS.map(addressOf) as [Email, Email, Email]
    const epochs = MOMENTS.map(epochOf) as [Epoch, Epoch, Epoch]
    const digest = 'trace' as ErasedEmailDigest
    await logOuts.update(first, () => epochs[0])
    await personalData.erase(
      second,
      { name: erasedEmail('1'), digests: [digest], origin: ORIGIN },
      () => ({
        closed: [],
        epoch: epochs[1],
      }),
    )
    await logOuts.update(third, () => epochs[2])
    await logOuts.update(ANNA, () => UP_TO_EPOCH)
    const prune = (limit: number) => retention.prune('log_outs', { upTo: UP_TO, limit })
    expect(await findLogOut(access, BERT)).toBeNull()

    expect(await prune(1)).toBe(1)
    expect(await prune(10)).toBe(2)
    expect(await prune(10)).toBe(0)
    expect((await personalData.find(first)).logOutLineAt).toBeNull()
    expect(await findLogOut(access, third)).toBe(epochs[2])
    for (const email of [first, second, ANNA, BERT]) {
      expect(await findLogOut(access, email, [digest])).toBe(UP_TO_EPOCH)
    }

    // A clock that was set back does not bring them to life either.
    await logOuts.update(first, () => epochOf(at(-5000)))
    expect(await retention.prune('log_outs', { upTo: at(-4000), limit: 10 })).toBe(1)
    expect(await findLogOut(access, first)).toBe(UP_TO_EPOCH)
  })

  test('ends no token from after the log-outs that it forgets, however far ahead the clock was', async () => {
    const { logOuts, access, personalData, retention } = await open()
    const digest = 'trace' as ErasedEmailDigest
    const inAYear = at(365 * DAY_MS)
    const epochs = MOMENTS.map(epochOf) as [Epoch, Epoch, Epoch]
    const prune = () => retention.prune('log_outs', { upTo: inAYear, limit: 10 })
    await logOuts.update(BERT, () => epochs[0])
    expect(await prune()).toBe(1)
    expect(await findLogOut(access, ANNA)).toBe(epochs[0])

    await logOuts.update(BERT, () => epochs[1])
    await personalData.erase(
      ANNA,
      { name: erasedEmail('1'), digests: [digest], origin: ORIGIN },
      () => ({
        closed: [],
        epoch: epochs[2],
      }),
    )
    expect(await prune()).toBe(2)
    expect(await findLogOut(access, ANNA)).toBe(epochs[2])
  })

  test('leaves the moment of everybody alone where no log-out is forgotten', async () => {
    const { access, retention } = await open()
    expect(await retention.prune('log_outs', { upTo: UP_TO, limit: 10 })).toBe(0)
    expect(await findLogOut(access, ANNA)).toBeNull()
  })
})

describe.each(DATABASES)('Retention on %s', (_, open) => {
  test('prunes the sandbox provider’s sessions', async () => {
    const { sandboxSessions, retention } = await open()
    for (const [number, createdAt] of MOMENTS.entries()) {
      const { id: purchaseId } = openPurchase(`pur_${number}`)
      await sandboxSessions.create({ ...SESSION, sessionId: `cs_${number}`, purchaseId, createdAt })
    }
    expect(await retention.prune('sandbox_sessions', { upTo: UP_TO, limit: 10 })).toBe(2)
    expect(await sandboxSessions.find('cs_1')).toBeNull()
    expect(await sandboxSessions.find('cs_2')).not.toBeNull()
  })
})
