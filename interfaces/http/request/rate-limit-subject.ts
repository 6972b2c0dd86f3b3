import { findProvenAccess } from '../../../application/access/check-premium.ts'
import type { Ports } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { findCodeVerifier } from '../../../domain/code-challenge.ts'
import { type Email, findEmail } from '../../../domain/email.ts'
import { type Caller, findHolder, findSender } from './bearer.ts'
import type { Exchange } from './exchange.ts'
import { parseJsonObject } from './json-body.ts'
import { RequestRefused } from './refusal.ts'

type Dependencies = Parameters<typeof findHolder>[0] & Pick<Ports, 'verifications'>

type LimitedRequest = Caller & Pick<Exchange, 'rules' | 'readBody'>

// Why: docs/decisions.md#who-holds-a-token-is-counted-by-its-address
/**
 * The address that the request is counted for, as the rules of its path say. Null where that is the client: what is
 * wrong with the token or the body, the route reports.
 */
export async function findCountedEmail(
  ports: Dependencies,
  limited: LimitedRequest,
): Promise<Email | null> {
  const find = FINDERS[limited.rules.countedFor]
  try {
    return find && (await find(ports, limited))
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof Unavailable) return null
    throw error
  }
}

const FINDERS = { client: null, sender: findSender, holder: findOwnHolder, prover: findProver }

/** The holder whose token the request carries, unless it is about another address. */
async function findOwnHolder(ports: Dependencies, limited: LimitedRequest): Promise<Email | null> {
  const holder = await findHolder(ports, limited)
  if (holder === null) return null
  const { email } = await readFields(limited)
  return findEmail(email) === holder ? holder : null
}

/** The address that the request proves to be its browser's, as its route will find. */
async function findProver(ports: Dependencies, limited: LimitedRequest): Promise<Email | null> {
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
