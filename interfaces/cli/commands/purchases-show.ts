import {
  type PurchaseReview,
  reviewPurchase,
} from '../../../application/payments/review-purchase.ts'
import { isErased } from '../../../domain/erasure.ts'
import { type PurchaseId, readPurchaseId } from '../../../domain/order.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import type { Purchase } from '../../../domain/purchase.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import {
  auditTable,
  disputeTable,
  grantTable,
  messageTable,
  refundTable,
} from '../payment-tables.ts'
import { describeState, formatPrice, formatReceived, REVIEW_WORDS } from '../payment-words.ts'
import { quoteForTerminal } from '../quoting.ts'
import { section } from '../text-layout.ts'

export const purchasesShowCommand: Command<{ readonly id: PurchaseId }> = {
  name: 'purchases show',
  summary: 'read a purchase anew from the payment provider, and show it',
  operands: ['ID'],
  options: [JSON_OPTION],
  details: `Reads the purchase ID from the payment provider, takes into account what it finds, and prints all
that is known: facts, grant, refunds, disputes, messages and audit trail, and what to do about it
where it waits for an operator. Exits 1 when nobody knows the ID, and, after it has printed what is
known, when the provider is out of reach.
Needs the settings of the service.`,
  parse([operand = '']) {
    const id = readPurchaseId(operand)
    if (id !== null) return { id }
    const given = quoteForTerminal(operand)
    return {
      usageError: `purchases show needs an ID as "alibi purchases" lists it, not ${given}`,
    }
  },
  run: (context, { id }) => context.withPorts((ports) => showPurchase({ ...context, ports, id })),
}

/** Whether the provider has just confirmed what is shown. */
const PROVIDER_WORDS: Readonly<Record<PurchaseReview['provider'], string>> = {
  read: 'read just now',
  missing: "does not know the session: the key may be another account's",
  no_session: 'not asked: it has never confirmed a session',
  unavailable: 'out of reach: this is what was known before',
  refused: 'refuses our key: this is what was known before',
}

const PROBLEMS: Readonly<Partial<Record<PurchaseReview['provider'], string>>> = {
  unavailable: 'the payment provider is out of reach',
  refused: 'the payment provider refuses our key: look at STRIPE_SECRET_KEY',
}

/** Reads a purchase from the provider again, and prints everything about it and what to do about it. */
export async function showPurchase({
  ports,
  id,
  json,
  print,
  printError,
}: Pick<CommandContext, 'json' | 'print' | 'printError'> & {
  ports: Parameters<typeof reviewPurchase>[0]
  id: PurchaseId
}): Promise<number> {
  const review = await reviewPurchase(ports, id)
  if (!review) {
    printError(`alibi: there is no purchase ${id}`)
    return EXIT.failed
  }
  print(json ? formatJson(review) : formatText(review))
  const problem = PROBLEMS[review.provider]
  if (problem === undefined) return EXIT.done
  printError(`alibi: ${problem}`)
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
