import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { isLoggedOut } from '../../domain/log-out.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { isHoldersToken, isTokenAlive, type TokenClaims } from '../../domain/token.ts'
import type { AccessFacts } from '../access-repository.ts'
import type { Ports } from '../ports.ts'
import { findAccess } from './check-premium.ts'

type Dependencies = Pick<Ports, 'tokens' | 'access' | 'secrets' | 'clock' | 'rules'>

/** What a token of ours shows about its sender. It is alive or a holder's, or both. */
export type TokenReading = {
  readonly email: Email
  /** The sender gets in with this address. */
  readonly isAlive: boolean
  /** The sender has been in with this address not long ago, and no log-out or erasure of it has come since. */
  readonly isHolders: boolean
  /** Whether the address had premium when all this was read. */
  readonly hasPremium: boolean
}

/** The address that the token lets in. Throws `invalid_token`, also after a log-out or an erasure of the address. */
export function requireAlive(reading: TokenReading | null): Email {
  if (!reading?.isAlive) throw new DomainError('invalid_token')
  return reading.email
}

/**
 * As `requireAlive`, for what only premium lets in. Throws `premium_required` where the address had none when the token
 * was read, which has to be while the request is answered.
 */
export function requireAlivePremium(reading: TokenReading | null): Email {
  const email = requireAlive(reading)
  if (!reading?.hasPremium) throw new DomainError('premium_required')
  return email
}

/** The address that the sender of the token has been in with not long ago. Null for anything but a holder's token. */
export function holderOf(reading: TokenReading | null): Email | null {
  return reading?.isHolders ? reading.email : null
}

/** Null for a token that shows nothing. */
export async function readToken(ports: Dependencies, token: string): Promise<TokenReading | null> {
  const claims = await ports.tokens.verify(token)
  const use = claims && useOf(ports, claims)
  return use && readingOf(use, await findAccess(ports, use.email))
}

/** As `readToken`, from what is in memory alone. Null also where that is not enough. */
export function recallToken(ports: Dependencies, token: string): TokenReading | null {
  const claims = ports.tokens.recall(token)
  const use = claims && useOf(ports, claims)
  const facts = use && ports.access.recall?.(use.email)
  return facts ? readingOf(use, facts) : null
}

/** What the token is good for by its times alone. */
type Use = TokenClaims & Pick<TokenReading, 'isAlive' | 'isHolders'>

/** Null for nothing. */
function useOf({ clock, rules }: Dependencies, claims: TokenClaims): Use | null {
  const now = clock.now()
  const isAlive = isTokenAlive(claims, now)
  const isHolders = isHoldersToken(claims, { tokenLifetimeMs: rules.tokenLifetimeMs, now })
  return isAlive || isHolders ? { ...claims, isAlive, isHolders } : null
}

function readingOf(
  { email, epoch, isAlive, isHolders }: Use,
  { grants, loggedOutIn }: AccessFacts,
): TokenReading | null {
  if (isLoggedOut(epoch, loggedOutIn)) return null
  return { email, isAlive, isHolders, hasPremium: hasPremium(grants) }
}
