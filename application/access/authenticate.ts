import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { isLoggedOut } from '../../domain/log-out.ts'
import { isHoldersToken, isTokenAlive } from '../../domain/token.ts'
import type { Ports } from '../ports.ts'
import { findLogOut } from './tokens.ts'

type Dependencies = Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock' | 'rules'>

/** What a token of ours shows about its sender. One of the two holds, or both. */
export type TokenReading = {
  readonly email: Email
  /** The sender gets in with this address. */
  readonly isAlive: boolean
  /** The sender has been in with this address not long ago, and no log-out or erasure of it has come since. */
  readonly isHolders: boolean
}

/** The address that the token lets in. Throws `invalid_token`, also after a log-out or an erasure of the address. */
export function requireAlive(reading: TokenReading | null): Email {
  if (!reading?.isAlive) throw new DomainError('invalid_token')
  return reading.email
}

/** The address that the sender of the token has been in with not long ago. Null for anything but a holder's token. */
export function holderOf(reading: TokenReading | null): Email | null {
  return reading?.isHolders ? reading.email : null
}

/** Null for a token that shows nothing. */
export async function readToken(ports: Dependencies, token: string): Promise<TokenReading | null> {
  const claims = await ports.tokens.verify(token)
  if (!claims) return null

  const now = ports.clock.now()
  const { tokenLifetimeMs } = ports.rules
  const isAlive = isTokenAlive(claims, now)
  const isHolders = isHoldersToken(claims, { tokenLifetimeMs, now })
  if (!isAlive && !isHolders) return null

  const { email, epoch } = claims
  const loggedOutIn = await findLogOut(ports, email)
  return isLoggedOut(epoch, loggedOutIn) ? null : { email, isAlive, isHolders }
}
