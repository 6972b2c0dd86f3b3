import type { Account } from '../../../application/store.ts'
import { mergeDispute } from '../../../domain/dispute.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { DomainError } from '../../../domain/errors.ts'
import {
  beginAttempt,
  draftMessage,
  endMessage,
  messagesAbout,
  OUTBOX_KINDS,
  type OutboxKey,
} from '../../../domain/outbox.ts'
import { hasPremium, isDuplicatePayment } from '../../../domain/premium-grant.ts'
import {
  attachSession,
  closePurchase,
  draftPurchase,
  findOpenPurchase,
  type Purchase,
  settlePurchase,
} from '../../../domain/purchase.ts'
import { mergeRefund, REFUND_STATES } from '../../../domain/refund.ts'
import type { SessionReport } from '../../../domain/session-report.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import type { Choice } from './choice.ts'

type Move = (store: DatabaseStore, choice: Choice) => Promise<unknown>

const PRICE = { amount: 400, currency: 'eur' }
const OUTCOMES = ['paid', 'paid', 'paid', 'processing', 'expired', 'failed'] as const
const DISPUTE_STATES = ['inquiry', 'open', 'won', 'lost'] as const

/** What a store is asked for about purchases, grants and messages. The value is all that its caller learns. */
export const PAYMENT_MOVES = {
  checkOut: ({ purchases }, choice) =>
    purchases.update(choice.email, choice.origin, (account) => ({
      account: inOrder(account),
      purchase: findOpenPurchase(account.purchases) ?? draft(choice),
    })),
  /** Fails where the address has an open purchase. */
  openAnother: ({ purchases }, choice) =>
    purchases.update(choice.email, choice.origin, () => ({
      purchase: draft(choice),
      messages: [draftMessage('payment_failed', draft(choice), choice.now)],
    })),
  /** Fails where another purchase has the session. */
  attach: ({ purchases }, { purchase: id, origin, picks, named }) =>
    purchases.updateById(id, origin, (_, purchase) => ({
      purchase: attachSession(purchase, named('cs', picks[2] % 6)),
    })),
  settle: settle,
  settleAgain: settle,
  close: ({ purchases }, { purchase: id, origin }) =>
    purchases.updateById(id, origin, (account, purchase) => ({
      account: inOrder(account),
      purchase: closePurchase(purchase),
    })),
  restore: ({ purchases }, choice) => {
    const { email, origin, now, picks, named } = choice
    return purchases.update(email, origin, (account) => {
      const paymentIntentId = named('pi', picks[1] % 5)
      const lost: Purchase = { ...draft(choice), sessionId: named('cs', 100 + choice.index) }
      const purchase = settlePurchase(lost, report(lost, 'paid', paymentIntentId), termsAt(now))
      return { account: inOrder(account), purchase }
    })
  },
  refuse: ({ purchases }, choice) =>
    purchases.update(choice.email, choice.origin, () => {
      throw new DomainError('payment_processing')
    }),
  refund: ({ refunds }, { origin, picks: [first, second, third], named }) =>
    refunds.update(
      [first, second, third].slice(0, 1 + (third % 3)).map((pick) => ({
        id: named('re', pick % 10),
        paymentIntentId: named('pi', pick % 5),
        amount: pick % 2 ? 400 : 150,
        state: REFUND_STATES[(pick + second) % 3]!,
      })),
      origin,
      mergeRefund,
    ),
  dispute: ({ disputes }, { origin, now, picks: [first, second, third], named }) =>
    disputes.update(
      [first, second].slice(0, 1 + (third % 2)).map((pick) => ({
        id: named('du', pick % 5),
        paymentIntentId: named('pi', pick % 5),
        state: DISPUTE_STATES[(pick + third) % 4]!,
        reportedAt: now,
      })),
      origin,
      mergeDispute,
    ),
  reportNothing: ({ refunds }, { origin }) => refunds.update([], origin, mergeRefund),
  /** Fails where the grant is known. */
  grant: ({ premiumGrants }, { email, origin, index, picks, named }) =>
    premiumGrants.add({ id: named('grant', picks[1] % (index + 1)), email }, origin),
  revoke: ({ premiumGrants }, { email, origin }) => premiumGrants.revokeAll(email, origin),
  deliver: ({ outbox }, { now, picks }) =>
    outbox.takeDue({ kinds: OUTBOX_KINDS.slice(picks[1] % 4), now }, (message) =>
      beginAttempt(message, now),
    ),
  endMessage: ({ outbox }, { purchase, now, picks }) =>
    outbox.update(`${OUTBOX_KINDS[picks[2] % 3]}:${purchase}` as OutboxKey, (message) =>
      endMessage(message, (['done', 'dropped', 'given_up'] as const)[picks[3] % 3]!, now),
    ),
  erase: async ({ personalData }, { email, newName: name, digest, origin, now, picks }) => {
    let seen: Account | null = null
    const erasure = { name, digests: [digest], origin }
    const kept = await personalData.erase(email, erasure, (account, epoch) => {
      seen = inOrder(account)
      if (picks[1] % 4 === 0) return null
      const open = account.purchases.filter(({ state }) => state === 'open')
      return {
        closed: open.map(closePurchase),
        epoch: (Math.max(epoch, now.getTime()) + 1) as never,
      }
    })
    return { kept, seen }
  },
} satisfies Record<string, Move>

function draft({ newPurchase: id, email, now, picks }: Choice): Purchase {
  const price = picks[1] % 4 ? PRICE : { amount: 500, currency: 'usd' }
  const leastAmount = picks[3] % 3 ? price.amount : null
  return draftPurchase({
    id,
    email,
    language: 'en',
    price,
    leastAmount,
    live: picks[2] % 2 === 0,
    now,
  })
}

function settle({ purchases }: DatabaseStore, choice: Choice) {
  const { purchase: id, origin, now, picks, named } = choice
  const outcome = OUTCOMES[picks[2] % OUTCOMES.length]!
  const paymentIntentId = picks[3] % 4 === 0 ? null : named('pi', picks[1] % 5)
  return purchases.updateById(id, origin, (account, before) => {
    const { grants } = account
    const isDuplicate = isDuplicatePayment(grants, before.id)
    const told = report(before, outcome, paymentIntentId, picks[3] % 7 === 6 ? 1 : 0)
    const after = settlePurchase(before, told, { ...termsAt(now), isDuplicate })
    const terms = { hasPremium: hasPremium(grants), refundDuplicates: true, now }
    const messages = messagesAbout({ before, after, outcome, lost: null }, terms)
    return { account: inOrder(account), purchase: after, messages }
  })
}

function report(
  { sessionId, id, price, live }: Purchase,
  outcome: SessionReport['outcome'],
  paymentIntentId: string | null,
  missing = 0,
): SessionReport {
  const amount = price.amount - missing
  return {
    sessionId: sessionId ?? `cs_of_${id}`,
    purchaseId: id,
    outcome,
    order: null,
    amountSubtotal: amount,
    amountTotal: amount,
    amountDiscount: 0,
    amountTax: 0,
    currency: price.currency,
    live,
    singlePayment: true,
    paymentIntentId,
    url: null,
  }
}

function termsAt(now: Date) {
  const paidAt = new Date(now.getTime() + MINUTE_MS)
  return { leastAmount: PRICE.amount, isDuplicate: false, now: paidAt }
}

/** What came back of an account's payments has no order. */
export function inOrder<Known extends Account>(account: Known): Known {
  const byId = (left: { readonly id: string }, right: { readonly id: string }) =>
    left.id < right.id ? -1 : 1
  return {
    ...account,
    refunds: account.refunds.toSorted(byId),
    disputes: account.disputes.toSorted(byId),
    grants: account.grants.toSorted(byId).map((grant) => ({
      ...grant,
      payment: grant.payment && {
        ...grant.payment,
        refunds: grant.payment.refunds.toSorted(byId),
        disputes: grant.payment.disputes.toSorted(byId),
      },
    })),
  }
}
