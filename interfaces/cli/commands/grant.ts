import { grantPremium } from '../../../application/customers/grant-premium.ts'
import type { Email } from '../../../domain/email.ts'
import { EXIT } from '../exit-codes.ts'

/** Gives an address premium by the operator's word, once, and says whether that was needed. */
export async function grant({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof grantPremium>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const added = await grantPremium(ports, email)
  if (json) print(JSON.stringify({ email, added }))
  else if (added) print(`${email} has premium by your word until it is revoked.`)
  else print(`${email} has premium by an operator's word already; nothing was added.`)
  return EXIT.done
}
