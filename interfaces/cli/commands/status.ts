import {
  type AccountDescription,
  describeAccount,
} from '../../../application/customers/describe-account.ts'
import type { Email } from '../../../domain/email.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'
import {
  auditTable,
  disputeTable,
  grantTable,
  PURCHASE_HEADER,
  purchaseRow,
  refundTable,
} from '../payment-tables.ts'
import { tableSection } from '../text-layout.ts'

export const statusCommand: Command<{ readonly email: Email }> = {
  name: 'status',
  summary: 'show whether an address has premium, and why',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Prints whether EMAIL has premium, its grants, purchases, refunds and disputes, and the audit trail:
every change of a grant, when, by whom, why, through what, and whether the grant gave premium then.
An address that nobody knows is no failure. Reads only the database, and not the payment provider.
Needs no setting but DATABASE_URL.`,
  parse: (operands) => parseEmailOperand('status', operands),
  run: (context, { email }) => context.withStore((ports) => status({ ...context, ports, email })),
}

/** Shows whether an address has premium, and the facts that decide this. */
export async function status({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof describeAccount>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const account = await describeAccount(ports, email)
  print(json ? formatJson(account) : formatText(account))
  return EXIT.done
}

function formatJson(account: AccountDescription): string {
  const grants = account.grants.map((grant) => ({ ...grant, isActive: isActive(grant) }))
  return JSON.stringify({ ...account, grants })
}

function formatText(account: AccountDescription): string {
  const { email, hasPremium, grants, purchases, refunds, disputes, audit } = account
  return [
    hasPremium ? `${email} has premium.` : `${email} does not have premium.`,
    grantTable(grants),
    tableSection('Purchases', PURCHASE_HEADER, purchases.map(purchaseRow)),
    refundTable(purchases, refunds),
    disputeTable(purchases, disputes),
    auditTable(audit),
  ].join('\n\n')
}
