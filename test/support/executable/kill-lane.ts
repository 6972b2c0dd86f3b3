import { expect } from 'bun:test'
import type { AlibiProcess } from '../service/alibi-process.ts'
import { IS_WHOLE } from '../thoroughness.ts'
import { checkEnds, type Ends } from './ends.ts'
import { buyer, openProduction } from './production.ts'
import {
  carriedOut,
  inspectKilled,
  type KilledDatabase,
  letOutboxTimePass,
  swept,
} from './stored.ts'

export type Lane = Awaited<ReturnType<typeof openLane>>

/** A service that is killed again and again in front of one database, and its buyers, who have proven their address. */
async function openLane(emails: readonly string[]) {
  const production = await openProduction()
  const seen = new Map<string, number>()
  const premium = new Map<string, boolean>()
  let kills = 0
  let startedAt = Date.now()
  let alibi: AlibiProcess = await production.start()
  await swept(production, startedAt)
  for (const email of emails) await buyer(alibi, production, email).prove()

  /** Counts where a kill came, and what it has left behind. */
  function count(what: string) {
    seen.set(what, (seen.get(what) ?? 0) + 1)
  }

  return {
    production,
    /** Who has to have premium in the end. */
    premium,
    buyerOf: (email: string) => buyer(alibi, production, email),
    count,
    /** Kills at once. Whatever a kill leaves on disk is sound; `look` says what it is, and that is counted. */
    async kill(look: (killed: KilledDatabase) => string): Promise<string> {
      await alibi.stop('SIGKILL')
      kills++
      const left = inspectKilled(production, (killed) => {
        expect(killed.damage).toEqual([])
        return look(killed)
      })
      count(left)
      return left
    },
    /** Another process than the service was killed. */
    countKill(what: string) {
      kills++
      count(what)
    },
    async start() {
      startedAt = Date.now()
      alibi = await production.start()
    },
    /** Resolves when the service has been through all of the provider's records since its last start. */
    swept: () => swept(production, startedAt),
    stop: () => alibi.stop(),
    /** What has become of everybody once nothing is left to do. */
    async end(): Promise<{ kills: number; seen: ReadonlyMap<string, number>; ends: Ends }> {
      await alibi.stop()
      letOutboxTimePass(production)
      alibi = await production.start()
      await carriedOut(production)
      return { kills, seen, ends: await checkEnds(production, alibi, premium) }
    },
    [Symbol.asyncDispose]: () => production[Symbol.asyncDispose](),
  }
}

/**
 * Carries out every kill, with a buyer of its own, over several services side by side. Prints what there was, and
 * expects that nobody has lost anything or got it twice.
 */
export async function killInLanes<Kill>(
  step: string,
  kills: readonly Kill[],
  {
    lanes,
    carryOut,
  }: { lanes: number; carryOut(lane: Lane, kill: Kill, email: string): Promise<void> },
): Promise<void> {
  const numbered = kills.map((kill, number) => ({ kill, email: `buyer-${number}@example.com` }))
  const lanesEnded = await Promise.allSettled(
    Array.from({ length: lanes }, async (_, index) => {
      const own = numbered.filter((_, number) => number % lanes === index)
      await using lane = await openLane(own.map(({ email }) => email))
      for (const { kill, email } of own) await carryOut(lane, kill, email)
      return await lane.end()
    }),
  )
  // Looked at only now: a lane that has failed must not leave the services of the others behind.
  const results = lanesEnded.map((lane) => {
    if (lane.status === 'rejected') throw lane.reason
    return lane.value
  })

  const wrong = results.flatMap(({ ends }) => ends.wrong)
  const sum = (of: (ends: Ends) => number) =>
    results.reduce((total, { ends }) => total + of(ends), 0)
  const killed = results.reduce((total, result) => total + result.kills, 0)
  console.log(
    `SIGKILL in ${step}: ${killed} kills (${describe(results.map(({ seen }) => seen))}); ` +
      `${sum(({ payments }) => payments)} payments, ${sum(({ confirmed }) => confirmed)} confirmed once, ` +
      `${sum(({ refunded }) => refunded)} second ones sent back once, ${wrong.length} wrong ends`,
  )
  expect(wrong).toEqual([])
  expect(sum(({ payments }) => payments)).toBeGreaterThan(0)
  expect(killed).toBeGreaterThanOrEqual(kills.length)
}

function describe(counts: readonly ReadonlyMap<string, number>[]): string {
  const names = [...new Set(counts.flatMap((seen) => [...seen.keys()]))].toSorted()
  const total = (name: string) => counts.reduce((sum, seen) => sum + (seen.get(name) ?? 0), 0)
  return names.map((name) => `${name} ${total(name)}`).join(', ')
}

/** Resolves after so many milliseconds, which may be a fraction of one. */
export async function after(milliseconds: number): Promise<void> {
  const endsAt = performance.now() + milliseconds
  if (milliseconds >= 2) await Bun.sleep(Math.floor(milliseconds) - 1)
  while (performance.now() < endsAt) await new Promise(setImmediate)
}

/** So many kills where all is tried, else a third of them. */
export function some<Kill>(whole: number, kill: (index: number) => Kill): Kill[] {
  return Array.from({ length: IS_WHOLE ? whole : Math.ceil(whole / 3) }, (_, index) => kill(index))
}

/** Moments, evenly spread over the time that something takes: so many where all is tried, else a third of them. */
export function spread(whole: number, milliseconds: number): readonly number[] {
  return some(whole, (index) => index).map(
    (index, _, { length }) => (index * milliseconds) / length,
  )
}
