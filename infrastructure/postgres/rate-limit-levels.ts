import type { RateLimitSubject } from '../../application/ports.ts'
import type { RateLimitWidth } from '../../application/telemetry.ts'
import type { Email } from '../../domain/email.ts'
import { BUDGETS_OF_OTHER_ADDRESSES, clientOf, networkKey } from '../rate-limit/client-levels.ts'

/** A subject as the database counts it. */
export type CountedSubject = {
  /** Among which places it takes room, which are of one limiter. */
  readonly scope: string
  readonly placesMax: number
  readonly crowd: string
  /** The places that may count it, the narrowest first. */
  readonly levels: readonly Level[]
}

type Level = {
  /** A digest, as a UUID. */
  readonly key: string
  readonly width: RateLimitWidth
  readonly budget: number
  /** How long a part of the window is whose requests are kept as one hit; 0 where each has its own. */
  readonly partMs: number
  /** New places of this width are opened until the scope is so full, from 0 to 1. */
  readonly openedUntil: number
  /** Whether it counts every request of its subjects, those that have a narrower place too. */
  readonly always: boolean
}

/** The three limits together have at most a million places. */
const CLIENTS_MAX = 262_144
const ADDRESSES_MAX = 65_536

/** Up to this budget, a place keeps each hit by itself. */
const EXACT_MAX = 256
const PARTS_OF_A_WINDOW = 64

/** Until the scope of the addresses is so full, each has a place of its own. */
const ADDRESSES_OPENED_UNTIL = 15 / 16

const NO_CROWD = '00000000-0000-0000-0000-000000000000'
const DIGEST_DIGITS = 32

/** Says of each subject how a limiter counts it. Limiters of different names count apart. */
export function subjectCounter({
  name,
  limit,
  windowMs,
  clientsMax = CLIENTS_MAX,
  addressesMax = ADDRESSES_MAX,
}: {
  name: string
  limit: number
  windowMs: number
  clientsMax?: number
  addressesMax?: number
}): (subject: RateLimitSubject) => CountedSubject {
  function levelOf(
    whom: string,
    {
      width,
      budgets,
      openedUntil,
      always,
    }: Pick<Level, 'width' | 'openedUntil' | 'always'> & { budgets: number },
  ): Level {
    const budget = limit * budgets
    const partMs = budget > EXACT_MAX ? Math.ceil(windowMs / PARTS_OF_A_WINDOW) : 0
    // Places of another form have other keys: a budget may be changed from one to the other.
    const form = partMs === 0 ? 'exact' : 'parts'
    return { key: digestOf(`${name} ${form} ${whom}`), width, budget, partMs, openedUntil, always }
  }

  const rules = { width: 'address', always: false } as const
  const others = levelOf('other addresses', {
    ...rules,
    budgets: BUDGETS_OF_OTHER_ADDRESSES,
    openedUntil: 1,
  })

  function countAddress(email: Email): CountedSubject {
    return {
      scope: `${name} addresses`,
      placesMax: addressesMax,
      crowd: NO_CROWD,
      levels: [
        levelOf(`address ${email}`, { ...rules, budgets: 1, openedUntil: ADDRESSES_OPENED_UNTIL }),
        others,
      ],
    }
  }

  function countClient(address: string | null): CountedSubject {
    // The seed is only for the crowds of a table in memory.
    const client = clientOf(address, 0)
    const levels = client.widths.map((rules) => {
      const { kind, high, low } = networkKey(client, rules)
      return levelOf(`network ${kind} ${high} ${low}`, rules)
    })
    return {
      scope: `${name} clients`,
      placesMax: clientsMax,
      crowd: levels.at(-1)?.key ?? NO_CROWD,
      levels,
    }
  }

  return (subject) =>
    subject.kind === 'address' ? countAddress(subject.email) : countClient(subject.address)
}

function digestOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS)
}
