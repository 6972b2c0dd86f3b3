import { DAY_MS } from '../../domain/duration.ts'
import { FIRST_EPOCH } from '../../domain/log-out.ts'
import { jwtTokens } from '../../infrastructure/secrets/jwt-tokens.ts'
import { SECRETS } from '../servers/secrets.ts'
import { emailOf, spread } from './addresses.ts'

/** Tokens as the service at `url` has issued them, of readers who are evenly spread. */
export async function issueTokens(
  url: string,
  { tokens, addresses }: { tokens: number; addresses: number },
): Promise<readonly string[]> {
  const { issue } = jwtTokens({
    secret: SECRETS.JWT_SECRET,
    previousSecret: null,
    issuer: url,
    lifetimeMs: 30 * DAY_MS,
  })
  const now = new Date()
  return Promise.all(
    spread(tokens, addresses).map((number) => issue(emailOf(number), { now, epoch: FIRST_EPOCH })),
  )
}
