import { holderOf, readToken, requireAlive } from '../../application/access/authenticate.ts'
import type { Email } from '../../domain/email.ts'

type Dependencies = Parameters<typeof readToken>[0]

/** As a request with the token is let in. */
export async function authenticate(ports: Dependencies, token: string): Promise<Email> {
  return requireAlive(await readToken(ports, token))
}

/** As a request with the token is counted. */
export async function findTokenHolder(ports: Dependencies, token: string): Promise<Email | null> {
  return holderOf(await readToken(ports, token))
}
