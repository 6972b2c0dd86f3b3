import { logOut } from '../../../application/access/log-out.ts'
import type { Email } from '../../../domain/email.ts'
import { EXIT } from '../exit-codes.ts'

/** Ends every token of an address, also of one that has none. */
export async function logout({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof logOut>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  await logOut(ports, email)
  print(
    json
      ? JSON.stringify({ email, loggedOut: true })
      : `Whoever was logged in as ${email} no longer is.`,
  )
  return EXIT.done
}
