import type { RateLimitSubject } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { type Email, findEmail } from '../../../domain/email.ts'
import { type RateLimitPolicy, ROUTES } from '../paths.ts'
import { findHolder, findSender } from './bearer.ts'
import { parseJsonObject } from './json-body.ts'
import { RequestRefused } from './refusal.ts'

type Dependencies = Parameters<typeof findHolder>[0]

/** A request that a limit counts. */
export type LimitedRequest = {
  readonly request: Request
  /** Null where the target makes no sense. */
  readonly url: URL | null
  /** The client's; null for one that did not come over the network. */
  readonly address: string | null
  /** Read at most once, however often it is asked for. Throws `RequestRefused`. */
  readonly readBody: () => Promise<Uint8Array | null>
}

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
export async function findRateLimitSubject(
  ports: Dependencies,
  policy: RateLimitPolicy,
  limited: LimitedRequest,
): Promise<RateLimitSubject> {
  const { request, address } = limited
  const email = await nullWhereRefused(() =>
    policy === 'premium' ? findSender(ports, request) : findOwnHolder(ports, limited),
  )
  return email === null ? { kind: 'client', address } : { kind: 'address', email }
}

async function findOwnHolder(ports: Dependencies, limited: LimitedRequest): Promise<Email | null> {
  const holder = await findHolder(ports, limited.request)
  if (holder === null) return null
  const place = NAMED_IN[limited.url?.pathname ?? '']
  if (place === undefined) return holder
  const named = place === 'body' ? await findInBody(limited) : findInQuery(limited)
  return named === holder ? holder : null
}

async function findInBody({ request, readBody }: LimitedRequest): Promise<Email | null> {
  const body = await readBody()
  if (body === null) return null
  const fields = parseJsonObject(body, request.headers)
  return findEmail('email' in fields ? fields.email : undefined)
}

function findInQuery({ url }: LimitedRequest): Email | null {
  const [email, ...others] = url?.searchParams.getAll('email') ?? []
  return others.length > 0 ? null : findEmail(email)
}

/** An unknown caller is counted as a client. What is wrong with the token or the body, the route reports. */
async function nullWhereRefused<Result>(find: () => Promise<Result>): Promise<Result | null> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof Unavailable) return null
    throw error
  }
}
