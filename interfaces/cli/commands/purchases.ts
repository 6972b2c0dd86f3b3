import { listPurchases } from '../../../application/payments/list-purchases.ts'
import {
  type PurchaseReview,
  reviewPurchase,
} from '../../../application/payments/review-purchase.ts'
import { isErased } from '../../../domain/erasure.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import type { Purchase, PurchaseId } from '../../../domain/purchase.ts'
import { EXIT } from '../exit-codes.ts'
import {
  auditTable,
  disputeTable,
  grantTable,
  messageTable,
  PURCHASE_HEADER,
  purchaseRow,
  refundTable,
} from '../payment-tables.ts'
import { describeState, formatPrice, formatReceived, REVIEW_WORDS } from '../payment-words.ts'
import { padCells, section } from '../text-layout.ts'

/** Wide enough for ids of ours, every state and ordinary amounts: no row waits for a wider one. */
const LIST_WIDTHS = [30, 20, 24, 15]

/** Whether what is shown is the provider's truth of this moment. */
const PROVIDER_WORDS: Readonly<Record<PurchaseReview['provider'], string>> = {
  read: 'read just now',
  missing: "does not know the session: the key may be another account's",
  no_session: 'not asked: it has never confirmed a session',
  unavailable: 'out of reach: this is what was known before',
  refused: 'refuses our key: this is what was known before',
}

const COMPLAINTS: Readonly<Partial<Record<PurchaseReview['provider'], string>>> = {
  unavailable: 'the payment provider is out of reach',
  refused: 'the payment provider refuses our key: look at STRIPE_SECRET_KEY',
}

/** Lists purchases, oldest first, each as soon as it is read. */
export async function showPurchases({
  ports,
  review,
  json,
  print,
}: {
  ports: Parameters<typeof listPurchases>[0]
  /** Whether only those are wanted that wait for an operator. */
  review: boolean
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  let isEmpty = true
  for await (const purchase of listPurchases(ports, { onlyReview: review })) {
    if (isEmpty && !json) print(padCells([...PURCHASE_HEADER, 'ADDRESS'], LIST_WIDTHS))
    isEmpty = false
    if (json) print(JSON.stringify(purchase))
    else print(padCells([...purchaseRow(purchase), purchase.email], LIST_WIDTHS))
  }
  if (isEmpty && !json) print(review ? 'No purchase waits for you.' : 'There are no purchases.')
  return EXIT.done
}

/** Reads a purchase anew from the provider, and shows all there is and what to do about it. */
export async function showPurchase({
  ports,
  id,
  json,
  print,
  complain,
}: {
  ports: Parameters<typeof reviewPurchase>[0]
  id: PurchaseId
  json: boolean
  print: (text: string) => void
  complain: (text: string) => void
}): Promise<number> {
  const review = await reviewPurchase(ports, id)
  if (!review) {
    complain(`alibi: there is no purchase ${id}`)
    return EXIT.failed
  }
  print(json ? formatJson(review) : formatText(review))
  const complaint = COMPLAINTS[review.provider]
  if (complaint === undefined) return EXIT.done
  complain(`alibi: ${complaint}`)
  return EXIT.failed
}

function formatJson({ grant, ...review }: PurchaseReview): string {
  return JSON.stringify({ ...review, grant: grant && { ...grant, isActive: isActive(grant) } })
}

function formatText(review: PurchaseReview): string {
  const { purchase, refunds, disputes, messages, audit } = review
  const grants = review.grant ? [review.grant] : []
  return [
    section(`Purchase ${purchase.id}`, [
      ...factRows(purchase),
      ['provider', PROVIDER_WORDS[review.provider]],
    ]),
    grantTable(grants),
    refundTable([purchase], refunds),
    disputeTable([purchase], disputes),
    messageTable(messages),
    auditTable(audit),
    ...(review.awaitsReview ? [reviewAdvice(purchase)] : []),
  ].join('\n\n')
}

function factRows(purchase: Purchase): readonly (readonly string[])[] {
  return [
    ['state', describeState(purchase)],
    ...progressRows(purchase),
    ['asked for', formatPrice(purchase.price)],
    ['address', purchase.email],
    ['language', purchase.language],
    ['mode', purchase.live ? 'live' : 'test'],
    ['created', purchase.createdAt.toISOString()],
    ['expires', purchase.expiresAt.toISOString()],
    ['session', purchase.sessionId ?? '-'],
    ['payment', purchase.paymentIntentId ?? '-'],
  ]
}

function progressRows(purchase: Purchase): readonly (readonly string[])[] {
  switch (purchase.state) {
    case 'paid':
      return [
        ['paid', formatReceived(purchase, purchase.amountPaid)],
        ['paid at', purchase.paidAt.toISOString()],
      ]
    case 'review':
      return [
        ['why', REVIEW_WORDS[purchase.reviewReason]],
        ['received', formatReceived(purchase, purchase.amountReceived)],
      ]
    default:
      return []
  }
}

function reviewAdvice({ email }: Purchase): string {
  if (isErased(email)) {
    return `Money came that was not asked for, and its address was erased. Refund it at the payment provider: it waits
for you until then.`
  }
  return `Money came that was not asked for, and it gave no access. Refund it at the payment provider, or give
premium by "alibi grant ${email}". It waits for you until it is refunded.`
}
