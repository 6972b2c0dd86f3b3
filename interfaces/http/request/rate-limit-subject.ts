import { type MaybePromise, orElse, whenKnown } from '../../../application/maybe-promise.ts'
import type { RateLimitSubject } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { type Email, findEmail } from '../../../domain/email.ts'
import { type RateLimitPolicy, ROUTES } from '../paths.ts'
import { type Caller, findHolder, findSender } from './bearer.ts'
import type { Exchange } from './exchange.ts'
import { parseJsonObject } from './json-body.ts'
import { RequestRefused } from './refusal.ts'

type Dependencies = Parameters<typeof findHolder>[0]

/** A request that a limit counts. */
export type LimitedRequest = Caller &
  Pick<Exchange, 'target' | 'rules' | 'clientAddress' | 'readBody'>

/** Where the request names the address that it is about. */
const NAMED_IN: Readonly<Record<string, 'body' | 'query'>> = {
  [ROUTES.verifyEmail.path]: 'body',
  [ROUTES.requestOtp.path]: 'body',
  [ROUTES.confirmEmail.path]: 'body',
  [ROUTES.logIn.path]: 'body',
  [ROUTES.checkPremium.path]: 'query',
}

// Why: docs/decisions.md#who-holds-a-token-is-counted-by-its-address
/**
 * Who is counted for a request: the address of the token that it carries, or else the client. A path that tells a
 * client about an address, or takes its codes, counts for the holder of a token only where that is the same address.
 */
export function findRateLimitSubject(
  ports: Dependencies,
  policy: RateLimitPolicy,
  limited: LimitedRequest,
): MaybePromise<RateLimitSubject> {
  return whenKnown(findCountedEmail(ports, policy, limited), (email) =>
    email === null
      ? { kind: 'client', address: limited.clientAddress() }
      : { kind: 'address', email },
  )
}

/** Null for an unknown caller. What is wrong with the token or the body, the route reports. */
function findCountedEmail(
  ports: Dependencies,
  policy: RateLimitPolicy,
  limited: LimitedRequest,
): MaybePromise<Email | null> {
  const find = policy === 'premium' ? findSender : findOwnHolder
  return orElse(() => find(ports, limited), nobody)
}

function nobody(error: unknown): null {
  if (error instanceof RequestRefused || error instanceof Unavailable) return null
  throw error
}

/** The holder whose token the request carries, unless it is about another address. */
function findOwnHolder(ports: Dependencies, limited: LimitedRequest): MaybePromise<Email | null> {
  return whenKnown(findHolder(ports, limited), (holder) => {
    const place = NAMED_IN[limited.target.path]
    if (holder === null || place === undefined) return holder
    const named = place === 'body' ? findInBody(limited) : findInQuery(limited)
    return whenKnown(named, (email) => (email === holder ? holder : null))
  })
}

async function findInBody({ request, readBody }: LimitedRequest): Promise<Email | null> {
  const body = await readBody()
  if (body === null) return null
  const fields = parseJsonObject(body, request.headers)
  return findEmail('email' in fields ? fields.email : undefined)
}

function findInQuery({ target }: LimitedRequest): Email | null {
  const [email, ...others] = new URLSearchParams(target.search).getAll('email')
  return others.length > 0 ? null : findEmail(email)
}
