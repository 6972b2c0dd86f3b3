import { expect, test } from 'bun:test'
import { DAY_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { findGrantChanges } from '../../domain/grant-change.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import { beginAttempt, draftMessage, OUTBOX_KINDS } from '../../domain/outbox.ts'
import { isActive } from '../../domain/premium-grant.ts'
import { mergeRefund } from '../../domain/refund.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { postgresStore } from '../../infrastructure/postgres/store.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atOnce } from '../support/service/real-service.ts'
import { choiceOf, emailsOf, type Picks } from '../support/store-model/choice.ts'
import { CODE_MOVES } from '../support/store-model/code-moves.ts'
import { isOfAudit, OTHER_MOVES } from '../support/store-model/other-moves.ts'
import { PAYMENT_MOVES } from '../support/store-model/payment-moves.ts'
import { ANNA, openPurchase, paidPurchase, REFUND } from '../support/stores/contract-purchases.ts'
import {
  emptyMigratedDatabase,
  openTestDatabase,
  testBudget,
} from '../support/stores/postgres-store.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

// Those that never fail of themselves, whatever is stored.
const { attach, openAnother, grant, ...payments } = PAYMENT_MOVES
const { openSession, ...others } = OTHER_MOVES
const MOVES = { ...CODE_MOVES, ...payments, ...others }
type MoveKind = keyof typeof MOVES
const FREQUENT: readonly MoveKind[] = [
  ...(['checkOut', 'checkOut', 'settle', 'settle', 'settle', 'settleAgain'] as const),
  ...(['refund', 'refund', 'refund', 'dispute', 'dispute', 'erase', 'prune', 'prune'] as const),
]
const KINDS = [...(Object.keys(MOVES) as MoveKind[]), ...FREQUENT]

const ROUNDS = IS_WHOLE ? 200 : 8
const MOVES_AT_ONCE = 60
const BUYING_MOVES = 6

/** Two replicas on one database, and one of them in turn. */
async function openReplicas() {
  const url = await emptyMigratedDatabase()
  const open = () => postgresStore(openTestDatabase(url), { budget: testBudget() })
  const replicas = [open(), open()]
  return { store: replicas[0]!, inTurn: (index: number) => replicas[index % replicas.length]! }
}

/** A purchase of each address and, at the same moment, everything else. Returns the names that erasures gave. */
async function playRound(
  inTurn: (index: number) => DatabaseStore,
  run: number,
  random: ReturnType<typeof seededRandom>,
): Promise<readonly Email[]> {
  const buying = Array.from({ length: BUYING_MOVES }, (_, index) => index)
  const names: Email[] = []
  const play = async (index: number, kind: MoveKind) => {
    const picks: Picks = [index, random.below(1000), random.below(1000), random.below(1000)]
    const choice = choiceOf({ run, index, buying }, picks)
    // The machine's clock forbids to delete entries, and the others have to be there to be compared.
    if (kind === 'prune' && isOfAudit(choice)) return
    if (kind === 'erase') names.push(choice.newName)
    try {
      await MOVES[kind](inTurn(index), choice)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }
  for (const index of buying) await play(index, 'checkOut')
  for (const index of buying) await play(index, 'settle')
  await atOnce(MOVES_AT_ONCE, (index) => play(BUYING_MOVES + index, random.pick(KINDS)))
  return names
}

/** Every fact of every grant has its one entry, and the last entry of a grant says whether it gives premium. */
async function checkTrail({ premiumGrants, auditTrail }: DatabaseStore, email: Email) {
  const grants = await premiumGrants.findByEmail(email)
  const trail = await auditTrail.findByEmail(email)
  const nameOf = (one: { grantId: string; reason: string; objectId: string }) =>
    `${one.grantId} ${one.reason} ${one.objectId}`
  const entries = trail.map(nameOf)
  // Of two verdicts the later one holds, so that a dispute may be won or lost more than once.
  const once = trail.filter(({ reason }) => !reason.startsWith('dispute_')).map(nameOf)
  expect(once.toSorted()).toEqual([...new Set(once)].toSorted())
  for (const one of findGrantChanges([], grants)) expect(entries).toContain(nameOf(one))
  for (const one of grants) {
    const last = trail.findLast(({ grantId }) => grantId === one.id)
    expect([one.id, last?.isActive]).toEqual([one.id, isActive(one)])
  }
  return grants.length
}

if (hasPostgres()) {
  test('whatever two replicas do at the same moment, the audit trail tells the same story as the grants', async () => {
    const { store, inTurn } = await openReplicas()
    const random = seededRandom(16)
    let grants = 0
    for (let run = 1; run <= ROUNDS; run++) {
      const names = await playRound(inTurn, run, random)
      for (const email of [...emailsOf(run), ...names]) grants += await checkTrail(store, email)
    }
    console.log(`two replicas: ${ROUNDS} rounds of ${MOVES_AT_ONCE} at once, ${grants} grants`)
    expect(grants).toBeGreaterThan(ROUNDS)
  })

  test('log-outs of two replicas at the same moment begin one epoch each', async () => {
    const { store, inTurn } = await openReplicas()
    await atOnce(60, (index) =>
      inTurn(index).logOuts.update(emailsOf(index % 9)[0]!, (epoch) => (epoch + 1) as Epoch),
    )
    const { epoch } = await store.access.findByEmail(ANNA, () => [])
    expect(epoch).toBe((FIRST_EPOCH + 60) as Epoch)
  })

  test('two replicas take each message once, and store one purchase and one refund of many', async () => {
    const { store, inTurn } = await openReplicas()
    const messages = Array.from({ length: 30 }, (_, index) =>
      draftMessage('payment_confirmed', openPurchase(`pur_${index}`), NOON),
    )
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: null, messages }))
    const due = { kinds: OUTBOX_KINDS, now: NOON }
    const taken = await atOnce(45, (index) =>
      inTurn(index).outbox.takeDue(due, (message) => beginAttempt(message, NOON)),
    )
    const keys = taken.flatMap((message) => message?.key ?? [])
    expect(keys.toSorted()).toEqual(messages.map(({ key }) => key).toSorted())

    const bought = await atOnce(40, (index) =>
      inTurn(index).purchases.update(ANNA, ORIGIN, ({ purchases }) => ({
        purchase: purchases[0] ?? openPurchase(`pur_${index}`),
      })),
    )
    expect(new Set(bought.map(({ purchase }) => purchase.id)).size).toBe(1)

    await store.purchases.update(
      ANNA,
      ORIGIN,
      ({ purchases: [{ id } = openPurchase('none')] }) => ({
        purchase: paidPurchase('one', { id }),
      }),
    )
    const changes = await atOnce(40, (index) =>
      inTurn(index).refunds.update([REFUND], ORIGIN, mergeRefund),
    )
    expect(changes.reduce((sum, change) => sum + change, 0)).toBe(1)
    expect((await store.auditTrail.findByEmail(ANNA)).map(({ reason }) => reason)).toEqual([
      'paid',
      'refund_pending',
    ])
  })

  test('two replicas mail a mailbox no more than its limit, under whichever of its addresses', async () => {
    const { store, inTurn } = await openReplicas()
    const mailed = await atOnce(40, async (index) => {
      const picks: Picks = [1 + (index % 2), 1, 0, 1 + (index % 4 > 1 ? 1 : 0)]
      try {
        return await CODE_MOVES.mailCode(
          inTurn(index),
          choiceOf({ run: 0, index: 1, buying: [] }, picks),
        )
      } catch (error) {
        if (error instanceof DomainError) return null
        throw error
      }
    })
    expect(mailed.filter((one) => one !== null)).toHaveLength(5)
    const window = { since: new Date(0), until: new Date(NOON.getTime() + DAY_MS) }
    expect((await store.statistics.countServiceMails(window)).all).toBe(5)
  })
}
