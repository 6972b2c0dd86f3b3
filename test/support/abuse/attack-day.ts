import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { seededRandom } from '../seeded-random.ts'
import type { AttackedService } from './attacked-service.ts'
import { arriveAtAttack, lockOutBegins } from './attackers.ts'
import { type Customer, type CustomerOutcome, customersOf, visit } from './customers.ts'

/** How much of the attack is played. */
export type AttackSize = {
  readonly customers: number
  readonly chosen: number
  /** The clients of the one /48, a /64 each. */
  readonly ipv6Clients: number
  /** The IPv4 networks, a /24 each with 256 clients. */
  readonly ipv4Networks: number
  /** How often in the day all of them come at once, within a quarter of an hour. */
  readonly peaks: number
  /** Of the other attack, in each quarter of an hour. */
  readonly requestsAQuarter: number
}

type Event = { readonly at: number; readonly act: () => Promise<void> }

/** What came of the day. */
export type DayFigures = {
  readonly attackRequests: number
  readonly attackStatuses: Readonly<Record<string, number>>
  readonly oldCustomers: number
  readonly oldRefused: number
  readonly newCustomers: number
  readonly newServed: number
  readonly mailsToStrangers: number
  readonly mails: number
  readonly refusals: Readonly<Record<string, number>>
}

const QUARTER_MS = 15 * MINUTE_MS
const QUARTERS = DAY_MS / QUARTER_MS

/** Plays a day in which an attack and customers come to one service. */
export async function playAttackDay(
  size: AttackSize,
  service: AttackedService,
): Promise<DayFigures> {
  const random = seededRandom(14)
  const start = service.time.clock.now().getTime()
  const outcomes: CustomerOutcome[] = []
  const statuses: Record<string, number> = {}
  let attackRequests = 0

  const visits: Event[] = customersOf(size).map((customer) => ({
    at: start + arrivalMs(customer, { size, random }),
    act: async () => {
      outcomes.push(await visit({ customer, service, random }))
    },
  }))
  visits.sort((left, right) => left.at - right.at)

  async function play({ at, act }: Event): Promise<void> {
    await service.time.moveTo(at)
    service.time.begin(act)
  }

  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    for (const { share, sent } of arriveAtAttack({ size, quarter, random })) {
      const at = start + Math.floor((quarter + share) * QUARTER_MS)
      while (visits[0] && visits[0].at <= at) await play(visits.shift()!)
      const act = async () => {
        attackRequests++
        const { status } = await service.send(sent)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
      await play({ at, act })
    }
    // In a real quarter of an hour there is time for it.
    Bun.gc(true)
  }
  await service.time.moveTo(start + DAY_MS + MINUTE_MS)

  const old = outcomes.filter(({ isOld }) => isOld)
  const fresh = outcomes.filter(({ isOld }) => !isOld)
  const refusals: Record<string, number> = {}
  for (const { refusedAt } of outcomes) {
    if (refusedAt) refusals[refusedAt] = (refusals[refusedAt] ?? 0) + 1
  }
  return {
    attackRequests,
    attackStatuses: statuses,
    oldCustomers: old.length,
    oldRefused: old.filter(({ refusedAt }) => refusedAt !== null).length,
    newCustomers: fresh.length,
    newServed: fresh.filter(({ refusedAt }) => refusedAt === null).length,
    mailsToStrangers: service.mailed().filter((to) => to.endsWith('@strangers.example')).length,
    mails: service.mailed().length,
    refusals,
  }
}

/** A chosen customer comes while locked out, others after an hour: by then the attack has what it can get. */
function arrivalMs(
  { chosenIndex }: Customer,
  { size, random }: { size: AttackSize; random: ReturnType<typeof seededRandom> },
): number {
  if (chosenIndex === null) return 4 * QUARTER_MS + random.below(DAY_MS - 8 * QUARTER_MS)
  return (lockOutBegins(chosenIndex, size) + 12) * QUARTER_MS + random.below(16 * QUARTER_MS)
}
