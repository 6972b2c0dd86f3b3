import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { ErasedEmailDigest } from '../../../domain/erasure.ts'
import { ACTORS, type Origin } from '../../../domain/grant-change.ts'
import type { MailboxDigest } from '../../../domain/mailbox.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import type { Sender } from '../../../domain/sender.ts'
import { NOON } from '../fakes.ts'
import { HOLDER, stranger } from '../senders.ts'

/** Numbers that a move makes its own choices by. */
export type Picks = readonly [number, number, number, number]

/** Clocks differ, and are set. */
const SKEWS_MS = [0, 0, 0, 1, 30_000, -10 * MINUTE_MS, 2 * HOUR_MS, 26 * HOUR_MS]
/** Long enough ago that an entry of the audit trail may be deleted. */
const LONG_AGO = new Date('2020-06-01T00:00:00.000Z')

/** Where a move stands: which one of which run it is, and which ones before it may have made a purchase. */
export type Place = {
  readonly run: number
  readonly index: number
  readonly buying: readonly number[]
}

/** What the move at this place is about. Nothing in it is of another run. */
export type Choice = ReturnType<typeof choiceOf>

export function choiceOf({ run, index, buying }: Place, picks: Picks) {
  const [first, second, third, fourth] = picks
  const name = String(run).padStart(5, '0')
  const emails = emailsOf(run)
  const startedAt = NOON.getTime() + run * 3 * DAY_MS
  const now = new Date(startedAt + index * 20_000 + SKEWS_MS[third % SKEWS_MS.length]!)
  const which = first % emails.length
  const sender: Sender = fourth % 3 === 0 ? HOLDER : stranger(fourth % 2)
  const origin: Origin = {
    at: fourth % 5 === 4 ? LONG_AGO : now,
    by: ACTORS[fourth % ACTORS.length]!,
    source: fourth % 2 ? `evt_${index}` : null,
  }
  return {
    index,
    picks,
    now,
    sender,
    origin,
    email: emails[which]!,
    owner: { email: emails[which]!, sender: sender.kind },
    /** The same for both spellings of one mailbox. */
    mailbox: `mailbox-${name}-${Math.min(which, 1)}` as MailboxDigest,
    digest: digestOf(run, which),
    newName: `erased-${name}x${index}@alibi.invalid` as Email,
    newPurchase: purchaseOf(run, index),
    /** One that an earlier move may have made. */
    purchase: purchaseOf(run, buying.length === 0 ? index : buying[second % buying.length]!),
    named: (prefix: string, number: number) => `${prefix}_${name}_${number}`,
  }
}

export function emailsOf(run: number): readonly Email[] {
  const local = `anna${String(run).padStart(5, '0')}`
  return [`${local}@example.com`, `${local}@gmail.com`, `${local}+tag@gmail.com`] as Email[]
}

export function digestOf(run: number, which: number): ErasedEmailDigest {
  return `digest-${run}-${which}` as ErasedEmailDigest
}

/** Ascends with the runs and the moves. */
function purchaseOf(run: number, index: number): PurchaseId {
  const [name, place] = [String(run).padStart(5, '0'), String(index).padStart(3, '0')]
  return `pur_${name}${place}` as PurchaseId
}
