import type { seededRandom } from '../seeded-random.ts'
import type { AttackSize } from './attack-day.ts'
import { customersOf, emailOf } from './customers.ts'

/** A request as it goes out, from the client at `peer`. */
export type Sent = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly peer: string
  readonly body?: object
  readonly token?: string | null
}

type Random = ReturnType<typeof seededRandom>

/** The first networks of the attack, which ask for mails to strangers. */
const MAILING_NETWORKS = 6

/** A chosen customer gets all the mails and wrong tries that one may get in a day, and more. */
const LOCK_OUT_QUARTERS = 12
const MAILS_A_QUARTER = 5
const TRIES_A_QUARTER = 8

/** Walks through all numbers below any size of a quarter, in an order that looks like none. */
const STRIDE = 1_000_003

/** In which quarter of an hour the lock-out of a chosen customer begins, who comes some hours later. */
export function lockOutBegins(chosenIndex: number, { chosen }: AttackSize): number {
  return Math.floor((chosenIndex * 64) / chosen)
}

/** What comes in one quarter of an hour, evenly spread, all kinds among each other. */
export function* arriveAtAttack({
  size,
  quarter,
  random,
}: {
  size: AttackSize
  quarter: number
  random: Random
}): Generator<{ readonly share: number; readonly sent: Sent }> {
  const isPeak = quarter % Math.floor(96 / size.peaks) === 0
  const floods = isPeak ? size.ipv6Clients + HOSTS * size.ipv4Networks : size.requestsAQuarter
  const targets = customersOf(size)
    .filter(({ chosenIndex }) => {
      if (chosenIndex === null) return false
      const since = quarter - lockOutBegins(chosenIndex, size)
      return since >= 0 && since < LOCK_OUT_QUARTERS
    })
    .map(emailOf)
  const aimedAtEach = MAILS_A_QUARTER + TRIES_A_QUARTER
  const count = floods + targets.length * aimedAtEach
  for (let index = 0; index < count; index++) {
    const place = (index * STRIDE) % count
    const aimed = place - floods
    const email = targets[Math.floor(aimed / aimedAtEach)] ?? ''
    const sent =
      place < floods
        ? flood(isPeak ? clientAt(place, size) : anyClient(size, random), random)
        : aimAt(email, aimed % aimedAtEach < MAILS_A_QUARTER, { size, random })
    yield { share: index / count, sent }
  }
}

type Client = { readonly network: number; readonly peer: string }

const HOSTS = 256

/** The /48 is the first network. */
function clientAt(place: number, { ipv6Clients }: AttackSize): Client {
  if (place < ipv6Clients) return { network: 0, peer: ipv6(place) }
  const host = place - ipv6Clients
  const network = 1 + Math.floor(host / HOSTS)
  return { network, peer: ipv4(network, host % HOSTS) }
}

function anyClient({ ipv6Clients, ipv4Networks }: AttackSize, random: Random): Client {
  if (random.below(2) === 0) return { network: 0, peer: ipv6(random.below(ipv6Clients)) }
  const network = 1 + random.below(ipv4Networks)
  return { network, peer: ipv4(network, random.below(HOSTS)) }
}

function flood({ network, peer }: Client, random: Random): Sent {
  return network < MAILING_NETWORKS ? askForMail(peer, random) : knockAnywhere(peer, random)
}

function aimAt(
  email: string,
  isMail: boolean,
  { size, random }: { size: AttackSize; random: Random },
): Sent {
  const peer = ipv4(1 + random.below(size.ipv4Networks), random.below(HOSTS))
  if (isMail) return { method: 'POST', path: '/auth/verify-email', peer, body: { email } }
  const code = String(random.below(1_000_000)).padStart(6, '0')
  return { method: 'POST', path: '/auth/confirm-email', peer, body: { email, code } }
}

const ipv6 = (index: number) => `2001:db8:1:${index.toString(16)}::1`
/** From 100.64.0.0/10, in which no customer is. */
const ipv4 = (network: number, host: number) =>
  `100.${64 + (network >> 8)}.${network & 255}.${host}`

function askForMail(peer: string, random: Random): Sent {
  const email = `${random.below(2 ** 31).toString(36)}@strangers.example`
  return { method: 'POST', path: '/auth/verify-email', peer, body: { email } }
}

const KNOCKS: readonly ((random: Random) => Omit<Sent, 'peer'>)[] = [
  () => ({ method: 'GET', path: '/' }),
  () => ({ method: 'GET', path: '/languages' }),
  () => ({ method: 'GET', path: '/app' }),
  () => ({ method: 'GET', path: '/health' }),
  (random) => ({ method: 'GET', path: `/auth/check?email=c${random.below(1000)}@example.com` }),
  (random) => ({ method: 'GET', path: `/${random.below(1e6)}` }),
  () => ({ method: 'GET', path: '/premium-reasons', token: 'nonsense' }),
  (random) => ({ method: 'GET', path: `/payment/success?session_id=cs_test_${random.below(1e6)}` }),
  (random) => ({
    method: 'POST',
    path: '/checkout',
    body: { email: `c${random.below(1000)}@a.example` },
  }),
  () => ({
    method: 'POST',
    path: '/auth/login',
    body: { email: 'nobody@a.example', code: '000000' },
  }),
  () => ({ method: 'POST', path: '/webhook/stripe', body: { type: 'checkout.session.completed' } }),
]

function knockAnywhere(peer: string, random: Random): Sent {
  return { ...random.pick(KNOCKS)(random), peer }
}
