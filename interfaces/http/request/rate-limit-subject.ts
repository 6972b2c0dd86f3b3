import { type MaybePromise, orElse, whenKnown } from '../../../application/maybe-promise.ts'
import { findProvenAccess } from '../../../application/payments/log-in-verified.ts'
import type { Ports, RateLimitSubject } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { findCodeVerifier } from '../../../domain/code-challenge.ts'
import { type Email, findEmail } from '../../../domain/email.ts'
import { type RateLimitPolicy, ROUTES } from '../paths.ts'
import { type Caller, findHolder, findSender } from './bearer.ts'
import type { Exchange } from './exchange.ts'
import { parseJsonObject } from './json-body.ts'
import type { OwnBudget } from './options.ts'
import { RequestRefused } from './refusal.ts'

type Dependencies = Parameters<typeof findHolder>[0] & Pick<Ports, 'verifications'>

/** A request that a limit counts. */
export type LimitedRequest = Caller &
  Pick<Exchange, 'target' | 'rules' | 'clientAddress' | 'readBody'>

/** The paths that ask for codes or take them: of nothing else can a stolen token use up what its owner needs. */
const CODE_PATHS: readonly string[] = [
  ROUTES.verifyEmail.path,
  ROUTES.requestOtp.path,
  ROUTES.confirmEmail.path,
  ROUTES.logIn.path,
]

/** Who is counted for a request, and in which budget. */
export type Counted = {
  readonly budget: RateLimitPolicy | OwnBudget
  readonly subject: RateLimitSubject
}

// Why: docs/decisions.md#who-holds-a-token-is-counted-by-its-address
/**
 * The address of a token that is alive where it is premium that is asked for; the address that codes are asked for or
 * brought, where the request carries a holder's token of it; the address that the request proves to be the browser's.
 * For anything else the client.
 */
export function findCounted(
  ports: Dependencies,
  policy: RateLimitPolicy,
  limited: LimitedRequest,
): MaybePromise<Counted> {
  const { path } = limited.target
  const isLogOut = path === ROUTES.logOut.path
  return whenKnown(findCountedEmail(ports, policy, limited), (email) => {
    if (email === null) {
      const subject = { kind: 'client', address: limited.clientAddress() } as const
      return { budget: isLogOut ? 'logOut' : policy, subject }
    }
    const budget = path === ROUTES.issueToken.path ? 'proof' : policy
    return { budget, subject: { kind: 'address', email } }
  })
}

/** Null for an unknown caller. What is wrong with the token or the body, the route reports. */
function findCountedEmail(
  ports: Dependencies,
  policy: RateLimitPolicy,
  limited: LimitedRequest,
): MaybePromise<Email | null> {
  const { path } = limited.target
  if (policy === 'premium') return orElse(() => findSender(ports, limited), nobody)
  if (CODE_PATHS.includes(path)) return orElse(() => findOwnHolder(ports, limited), nobody)
  return path === ROUTES.issueToken.path ? orElse(() => findProven(ports, limited), nobody) : null
}

function nobody(error: unknown): null {
  if (error instanceof RequestRefused || error instanceof Unavailable) return null
  throw error
}

/** The holder whose token the request carries, unless it is about another address. */
function findOwnHolder(ports: Dependencies, limited: LimitedRequest): MaybePromise<Email | null> {
  return whenKnown(findHolder(ports, limited), (holder) => {
    if (holder === null) return null
    return readFields(limited).then(({ email }) => (findEmail(email) === holder ? holder : null))
  })
}

/** The address that the request proves, as its route will find. */
async function findProven(ports: Dependencies, limited: LimitedRequest): Promise<Email | null> {
  const fields = await readFields(limited)
  const email = findEmail(fields.email)
  const codeVerifier =
    typeof fields.codeVerifier === 'string' ? findCodeVerifier(fields.codeVerifier) : null
  if (email === null || codeVerifier === null) return null
  return (await findProvenAccess(ports, { email, codeVerifier })) && email
}

async function readFields({
  request,
  readBody,
}: LimitedRequest): Promise<{ readonly email?: unknown; readonly codeVerifier?: unknown }> {
  const body = await readBody()
  return body === null ? {} : parseJsonObject(body, request.headers)
}
