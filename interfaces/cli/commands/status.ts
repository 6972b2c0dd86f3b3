import {
  type AccountDescription,
  describeAccount,
} from '../../../application/customers/describe-account.ts'
import { type CodeCounts, describeCodes } from '../../../application/customers/describe-codes.ts'
import type { Email } from '../../../domain/email.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import { codeTable } from '../code-tables.ts'
import type { Command, UsageError } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, type Option } from '../command-words.ts'
import { parseEmailOperand } from '../email-command.ts'
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
import { showWrongCodes } from './status-wrong-codes.ts'

const WRONG_CODES_OPTION: Option = {
  name: 'wrong-codes',
  type: 'boolean',
  summary: 'show the wrong codes of the last hour, over all addresses',
}

const MISSING: UsageError = {
  usageError: 'status needs EMAIL or --wrong-codes: alibi status EMAIL',
}

/** Null for an overview of all addresses. */
type Asked = { readonly email: Email | null }

export const statusCommand: Command<Asked> = {
  name: 'status',
  summary: 'show whether an address has premium, and why',
  operands: ['[EMAIL]'],
  options: [WRONG_CODES_OPTION, JSON_OPTION],
  details: `Prints whether EMAIL has premium, its grants, purchases, refunds and disputes, and the audit trail:
every change of a grant, when, by whom, why, through what, and whether the grant gave premium then.
Then the mails with a code and the wrong codes of the last 24 hours, from how many networks of
strangers they came, and from which of these most. An address that nobody knows is no failure.
With --wrong-codes, and no EMAIL, prints the wrong codes of the last hour over all addresses, and
the addresses and the networks with the most of them. Reads only the database, and not the payment
provider.
Needs no setting but DATABASE_URL.`,
  parse(operands, { 'wrong-codes': wrongCodes }) {
    const isNamed = operands.length > 0
    if (wrongCodes !== true) {
      return isNamed ? parseEmailOperand('status', operands) : MISSING
    }
    if (!isNamed) return { email: null }
    return { usageError: 'status takes either an address or --wrong-codes' }
  },
  run: (context, { email }) =>
    context.withStore((ports) =>
      email === null ? showWrongCodes({ ...context, ports }) : status({ ...context, ports, email }),
    ),
}

/** Shows whether an address has premium, and the facts that decide this. */
export async function status({
  ports,
  email,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  ports: Parameters<typeof describeAccount>[0] & Parameters<typeof describeCodes>[0]
  email: Email
}): Promise<number> {
  const account = await describeAccount(ports, email)
  const codes = await describeCodes(ports, email)
  print(json ? formatJson(account, codes) : formatText(account, codes))
  return EXIT.done
}

function formatJson(account: AccountDescription, codes: CodeCounts): string {
  const grants = account.grants.map((grant) => ({ ...grant, isActive: isActive(grant) }))
  return JSON.stringify({ ...account, grants, codes })
}

function formatText(account: AccountDescription, codes: CodeCounts): string {
  const { email, hasPremium, grants, purchases, refunds, disputes, audit } = account
  return [
    hasPremium ? `${email} has premium.` : `${email} does not have premium.`,
    grantTable(grants),
    tableSection('Purchases', PURCHASE_HEADER, purchases.map(purchaseRow)),
    refundTable(purchases, refunds),
    disputeTable(purchases, disputes),
    auditTable(audit),
    codeTable(codes),
  ].join('\n\n')
}
