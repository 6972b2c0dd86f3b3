import { expect } from 'bun:test'
import { isActive } from '../../../domain/premium-grant.ts'
import type { Purchase, PurchaseState } from '../../../domain/purchase.ts'
import { EMAIL } from '../http/http-client.ts'
import { awaitedSessions, oldEvents, openSessions } from './moves.ts'
import type { PlayedShop } from './played-shop.ts'
import { isChargedBack, modelPremium, paidSessions, purchaseIdOf } from './premium-model.ts'
import { checkLedger } from './sound-ledger.ts'

/**
 * The rules that hold at every moment, however far the service lags behind. There is at most one open page, except for
 * those that a restored database has forgotten.
 */
export async function checkMoment(shop: PlayedShop): Promise<void> {
  const wasEverGiven = shop.wasEverGiven()
  const paid = new Set<string>(paidSessions(shop.stripe).map(purchaseIdOf))
  if (await shop.hasPremium()) expect(wasEverGiven || paid.size > 0).toBe(true)

  const { grants } = await shop.account()
  expect(grants.filter(({ id, payment }) => payment !== null && !paid.has(id))).toEqual([])
  const given = grants.filter(({ payment, revokedAt }) => payment === null && revokedAt === null)
  expect(wasEverGiven || given.length === 0).toBe(true)
  if (!shop.wasRestored()) expect(openSessions(shop).length).toBeLessThanOrEqual(1)
}

export const ENDINGS = ['deliveries first', 'reconciling first', 'reconciling only'] as const
export type Ending = (typeof ENDINGS)[number]

/**
 * Delivers every event that is still under way, or lets the reconciler find it. Then every event that the webhook has
 * seen comes once more, the newest first, and has to change nothing.
 */
export async function settleShop(shop: PlayedShop, ending: Ending): Promise<void> {
  if (ending !== 'deliveries first') await shop.service.reconcile('all')
  if (ending !== 'reconciling only') {
    for (const event of shop.waiting()) await shop.deliver(event)
  }
  if (ending === 'deliveries first') {
    if (!shop.areEventsLost) await checkPremium(shop)
    await shop.service.reconcile('all')
  }
  await checkPremium(shop)

  for (const event of oldEvents(shop).reverse()) await shop.deliver(event)
  await checkPremium(shop)
}

async function checkPremium(shop: PlayedShop): Promise<void> {
  const { grants } = await shop.account()
  const bought = grants.filter((grant) => grant.payment !== null && isActive(grant))
  const told = { hasPremium: await shop.hasPremium(), active: bought.map(({ id }) => id).sort() }
  const { hasPremium, active } = modelPremium(shop.stripe, shop.word())
  expect(told).toEqual({ hasPremium, active: active.toSorted() as string[] })
}

/** The rules that hold once every event is delivered and the outbox is empty. */
export async function checkEnd(shop: PlayedShop): Promise<void> {
  const { purchases } = await shop.account()
  const states = purchases.map(({ sessionId, state }) => [sessionId, state])
  expect(states.sort()).toEqual(statesAtStripe(shop).sort())
  for (const purchase of purchases) await checkMessages(shop, purchase)
  await checkAudit(shop)
  await checkNextCheckout(shop)
}

function statesAtStripe(shop: PlayedShop): [string, PurchaseState][] {
  const paid = paidSessions(shop.stripe)
  const awaited = awaitedSessions(shop)
  const open = openSessions(shop)
  return [...shop.stripe.sessions.values()].map((session) => {
    if (paid.includes(session)) return [session.id, 'paid']
    if (awaited.includes(session)) return [session.id, 'processing']
    return [session.id, open.includes(session) ? 'open' : 'closed']
  })
}

async function checkMessages({ service, stripe, bounced }: PlayedShop, purchase: Purchase) {
  const { outbox } = service.ports
  const { id, state, sessionId, paymentIntentId } = purchase
  const messages = await outbox.findByPurchase(id)
  const done = messages.filter((message) => message.state === 'done').map(({ kind }) => kind)
  const mails = service.sentNotices
    .filter(({ key }) => key.endsWith(`:${id}`))
    .map(({ kind }) => kind)

  if (state !== 'paid') {
    expect(mails).toEqual(done as typeof mails)
    expect(done.filter((kind) => kind !== 'payment_failed')).toEqual([])
    if (done.length > 0) expect(bounced.has(String(sessionId))).toBe(true)
  } else if (!purchase.isDuplicate) {
    const confirmations = messages.filter(({ kind }) => kind === 'payment_confirmed')
    // Kept because the other payment was given back, at a time when this one gave no premium any more: no mail is sent
    // then.
    const isKeptInSilence = messages.length > 0 && confirmations.length === 0
    expect(mails).toEqual(isKeptInSilence ? [] : ['payment_confirmed'])
    if (isKeptInSilence)
      expect(messages).toMatchObject([{ kind: 'duplicate_refund', state: 'dropped' }])
    else expect(confirmations).toMatchObject([{ state: 'done', attempts: 1 }])
  } else {
    // Stripe sends nothing back of what the buyer's bank has taken back; after three days an operator has to see to it.
    const isGivenUp = messages.some((message) => message.state === 'given_up')
    const session = stripe.sessions.get(String(sessionId))!
    const refunds = [...stripe.refunds.values()].filter(
      ({ payment_intent }) => payment_intent === paymentIntentId,
    )
    expect(mails).toEqual([])
    expect(refunds.length > 0 || isGivenUp || isChargedBack(stripe, session)).toBe(true)
  }
}

export async function checkAudit({ service, account }: PlayedShop): Promise<void> {
  await checkLedger(service.ports)
  const { grants } = await account()
  const trail = await service.ports.auditTrail.findByEmail(EMAIL)
  const last = new Map(trail.map((entry) => [entry.grantId, entry.isActive]))
  expect(last).toEqual(new Map(grants.map((grant) => [grant.id, isActive(grant)])))
}

/** A buyer with premium, or with money under way, buys nothing. Any other buyer gets one page. */
async function checkNextCheckout(shop: PlayedShop): Promise<void> {
  const isRefused = (await shop.hasPremium()) || awaitedSessions(shop).length > 0
  const { status } = await shop.service.post('/checkout', { email: EMAIL })
  expect(status).toBe(isRefused ? 409 : 200)
  if (!isRefused) expect(openSessions(shop)).toHaveLength(1)
}
