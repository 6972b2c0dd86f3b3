import type { Brand } from './brand.ts'
import { DomainError } from './errors.ts'

/** A normalised address: lower case, its domain in ASCII. Two spellings of one address are one `Email`. */
export type Email = Brand<string, 'Email'>

/** The domain of the names that erased addresses get. It can have no mailbox, and `parseEmail` refuses it. */
export const ERASED_DOMAIN = 'alibi.invalid'

const LENGTH_MAX = 254
const LOCAL_PART_LENGTH_MAX = 64
// Far above any address that could still normalise to LENGTH_MAX, and cheap to refuse.
const INPUT_LENGTH_MAX = 1024

// RFC 5322 dot-atom, and RFC 1123 host labels of which the last is not a number.
const DOT_ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)+(?![0-9]+$)${LABEL}$`)

// As nearly all are: the URL parser, which takes several times as long, would not change it.
const PLAIN_DOMAIN = new RegExp(`^(?:${LABEL}\\.)+[a-z]{2,63}$`)

// A port, a path, an escape or a user never reaches the URL parser, which would read more than a host name.
const DOMAIN_CHARACTERS = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu
// Punycode hides a hyphen at the edge of an internationalised label from HOST_NAME.
const HYPHEN_AT_EDGE = /(?:^|[.\u3002])-|-(?:$|[.\u3002])/u
const CONTROL_CHARACTER = /\p{Cc}/u
const ASCII = /^[\x20-\x7e]+$/

/** Reads an address as a person types it. Throws `invalid_email` for anything that is not an ordinary one. */
export function parseEmail(input: unknown): Email {
  if (typeof input !== 'string' || input.length > INPUT_LENGTH_MAX) throw invalid()

  const address = input.replace(/^[ \t]+|[ \t]+$/g, '')
  if (CONTROL_CHARACTER.test(address)) throw invalid()

  const at = address.lastIndexOf('@')
  const localPart = normaliseLocalPart(address.slice(0, Math.max(at, 0)))
  const domain = normaliseDomain(address.slice(at + 1))
  const email = `${localPart}@${domain}`
  if (email.length > LENGTH_MAX) throw invalid()
  return email as Email
}

/** As `parseEmail`, but null for anything that is not an ordinary address. */
export function findEmail(input: unknown): Email | null {
  try {
    return parseEmail(input)
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

function normaliseLocalPart(localPart: string): string {
  // Before lower-casing: the Kelvin sign, for one, would turn into an ordinary k.
  if (!ASCII.test(localPart) || localPart.length > LOCAL_PART_LENGTH_MAX) throw invalid()
  const lowerCased = localPart.toLowerCase()
  if (!DOT_ATOM.test(lowerCased)) throw invalid()
  return lowerCased
}

function normaliseDomain(domain: string): string {
  if (PLAIN_DOMAIN.test(domain) && !domain.includes('xn--') && domain !== ERASED_DOMAIN) {
    return domain
  }
  if (!DOMAIN_CHARACTERS.test(domain)) throw invalid()
  if (HYPHEN_AT_EDGE.test(domain.normalize('NFKC'))) throw invalid()
  const host = readHost(domain)
  if (!HOST_NAME.test(host) || host === ERASED_DOMAIN) throw invalid()
  return host
}

/** The WHATWG host parser applies UTS #46: lower case, width, Punycode. */
function readHost(domain: string): string {
  try {
    // Browsers run this, too, and older ones have no `URL.canParse`.
    return new URL(`http://${domain}`).hostname
  } catch {
    throw invalid()
  }
}

function invalid(): DomainError {
  return new DomainError('invalid_email')
}
