import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import type { Email } from '../../../domain/email.ts'
import { EXIT } from '../exit-codes.ts'

/** Revokes every grant that an address has now, and says how many that were. */
export async function revoke({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof revokePremium>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const revoked = await revokePremium(ports, email)
  if (json) print(JSON.stringify({ email, revoked }))
  else if (revoked === 0) print(`${email} has no grant that could be revoked.`)
  else print(`Revoked ${revoked} ${revoked === 1 ? 'grant' : 'grants'} of ${email}.`)
  return EXIT.done
}
