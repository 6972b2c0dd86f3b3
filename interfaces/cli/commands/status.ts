import {
  type AccountDescription,
  describeAccount,
} from '../../../application/customers/describe-account.ts'
import type { Email } from '../../../domain/email.ts'
import { isActive } from '../../../domain/premium-grant.ts'
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

/** Shows whether an address has premium, and all that this follows from. */
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
