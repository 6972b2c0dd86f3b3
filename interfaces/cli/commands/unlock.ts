import { unlockEmail } from '../../../application/access/unlock-email.ts'
import type { Email } from '../../../domain/email.ts'
import { EXIT } from '../exit-codes.ts'

/** Forgets the wrong codes of an address, and says how many there were. */
export async function unlock({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof unlockEmail>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const forgotten = await unlockEmail(ports, email)
  if (json) print(JSON.stringify({ email, forgotten }))
  else if (forgotten === 0) print(`No wrong code counts against ${email}.`)
  else print(`Forgot ${forgotten} wrong ${forgotten === 1 ? 'code' : 'codes'} of ${email}.`)
  return EXIT.done
}
