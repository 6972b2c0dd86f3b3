import { listPurchases } from '../../../application/payments/list-purchases.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, type Option } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { PURCHASE_HEADER, purchaseRow } from '../payment-tables.ts'
import { padCells } from '../text-layout.ts'

const REVIEW_OPTION: Option = {
  name: 'review',
  type: 'boolean',
  summary: 'only those that wait for an operator',
}

export const purchasesCommand: Command<{ readonly review: boolean }> = {
  name: 'purchases',
  summary: 'list the purchases, or those that wait for you',
  operands: [],
  options: [REVIEW_OPTION, JSON_OPTION],
  details: `Prints a line for each purchase, oldest first. --review leaves only those where money came that was
not asked for: it gave no access, and has not been refunded. With --json each line is an object of
its own (NDJSON), and there is none when there are no purchases.
Needs no setting but DATABASE_URL.`,
  parse: (_, { review }) => ({ review: review === true }),
  run: (context, { review }) =>
    context.withStore((ports) => showPurchases({ ...context, ports, review })),
}

/** Wide enough for ids of ours, every state and ordinary amounts: no row waits for a wider one. */
const LIST_WIDTHS = [30, 20, 24, 15]

/** Lists purchases, oldest first, each as soon as it is read. */
export async function showPurchases({
  ports,
  review,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  ports: Parameters<typeof listPurchases>[0]
  /** Whether only those are wanted that wait for an operator. */
  review: boolean
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
