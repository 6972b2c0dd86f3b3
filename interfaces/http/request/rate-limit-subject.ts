import type { RateLimitSubject } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { RateLimitPolicy } from '../paths.ts'
import { authenticateRequest } from './bearer.ts'

type Dependencies = Parameters<typeof authenticateRequest>[0]

/** Who is counted for a request: the address of its token where the limit goes by that, or else the client. */
export async function findRateLimitSubject(
  ports: Dependencies,
  {
    policy,
    request,
    address,
  }: { policy: RateLimitPolicy; request: Request; address: string | null },
): Promise<RateLimitSubject> {
  const email = policy === 'premium' ? await findEmail(ports, request) : null
  return email === null ? { kind: 'client', address } : { kind: 'address', email }
}

/** Null without a token that counts. */
async function findEmail(ports: Dependencies, request: Request): Promise<Email | null> {
  try {
    return await authenticateRequest(ports, request)
  } catch (error) {
    // An unknown caller is counted as a client. The route reports what is wrong with the token.
    if (error instanceof DomainError || error instanceof Unavailable) return null
    throw error
  }
}
