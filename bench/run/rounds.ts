import { join } from 'node:path'
import { get, writeRequests } from '../load/request-file.ts'
import { singleCommitsPerSecond } from '../load/single-commits.ts'
import type { Round, Rounds } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Scenario, Stage } from '../scenarios/scenario.ts'
import type { Run } from './run.ts'
import { type Measured, measureLoad, serviceLoad } from './service-load.ts'

/** Of what the service bears: enough room for a latency to be its own, and not that of a queue. */
const PACE = 0.5
const COMMIT_SECONDS = { whole: 1, short: 0.3 }

/**
 * Loads the bare server and the service in turn. The one that is not under load stands still. The requests before the
 * first round are no part of the figures: of these, every answer is looked at. Throws where an answer is an error, or
 * where what was answered is not stored.
 */
export async function measureRounds(
  run: Run,
  scenario: Scenario,
  { addresses = run.options.addresses, tokens = scenario.tokens } = {},
): Promise<Rounds> {
  const { bare, folder, options } = run
  const { seconds } = options
  const { name, writes, countStored } = scenario
  const step = progress(`${name}, ${addresses} addresses`)
  step(0)
  await using alibi = await run.startAlibi({ addresses, writes })
  const { url, database } = alibi
  const stage: Stage = { url, database, addresses, tokens, takeNumbers: run.takeNumbers }
  const path = join(folder, 'bare')
  const plain = { path, isRepeated: true }
  writeRequests(path, [get('/')])

  bare.pause()
  const storedBefore = (await countStored?.(stage)) ?? 0
  const ownLoad = await serviceLoad(scenario, {
    server: alibi,
    stage,
    path: join(folder, 'requests'),
    isShort: options.isShort,
  })

  const found = { bare: [] as Round[], alibi: [] as Round[], singleCommits: [] as number[] }
  for (let round = 0; round < options.rounds; round++) {
    alibi.pause()
    bare.resume()
    const base = await measureLoad(bare, plain, { seconds })
    bare.pause()
    if (countStored) {
      const commitSeconds = COMMIT_SECONDS[options.isShort ? 'short' : 'whole']
      found.singleCommits.push(await singleCommitsPerSecond(folder, commitSeconds))
    }
    alibi.resume()
    const measured = await ownLoad.measure({ seconds })
    const perSecond = (PACE * measured.requests) / measured.seconds
    const paced = await ownLoad.measure({ seconds, perSecond })
    alibi.pause()
    bare.resume()
    const pacedBase = await measureLoad(bare, plain, { seconds, perSecond })
    found.bare.push(roundOf(base, pacedBase))
    found.alibi.push(roundOf(measured, paced))
    step((round + 1) / options.rounds)
  }
  alibi.resume()

  if (countStored) {
    const [answers, stored] = [ownLoad.answers(), (await countStored(stage)) - storedBefore]
    if (stored < answers) throw new Error(`${answers} answers, but only ${stored} are stored`)
  }
  return { ...found, startMs: alibi.answeredAfterMs, mebibytes: alibi.residentMebibytes() }
}

function roundOf(
  { requests, seconds, p50, p99, busySeconds, mainSeconds }: Measured,
  paced: Measured,
): Round {
  return {
    perSecond: requests / seconds,
    p50,
    p99,
    microseconds: (1e6 * busySeconds) / requests,
    mainMicroseconds: (1e6 * mainSeconds) / requests,
    busy: busySeconds / seconds,
    p99AtHalf: paced.p99,
  }
}
