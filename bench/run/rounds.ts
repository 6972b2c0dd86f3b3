import { join } from 'node:path'
import { get, type RequestFile, writeRequests } from '../load/request-file.ts'
import { singleCommitsPerSecond } from '../load/single-commits.ts'
import { type LoadFigures, type LoadOptions, load } from '../load/wrk.ts'
import type { Round, Rounds } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Scenario, Stage } from '../scenarios/scenario.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'
import type { Run } from './run.ts'

const WARM_UP_SECONDS = 10
/** Until the runtime has compiled what is asked for often: before, a request takes up to twice as long. */
const WARM_UP_REQUESTS = { repeated: 150_000, once: 15_000, short: 500 }
/** So much faster a server may get from one round to the next: then there are still enough requests. */
const SPARE = 1.5
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
  const plain = requestFile(join(folder, 'bare'), [get('/')], true)
  const ask = requester(scenario, { stage, path: join(folder, 'requests') })

  bare.pause()
  const storedBefore = countStored?.(stage) ?? 0
  const warmUp = await warmUpWith(ask, { scenario, stage, isShort: options.isShort })
  const own = [warmUp.figures]
  let { requests } = warmUp

  const found = { bare: [] as Round[], alibi: [] as Round[], singleCommits: [] as number[] }
  for (let round = 0; round < options.rounds; round++) {
    alibi.pause()
    bare.resume()
    const base = await measure(bare, plain, { seconds })
    bare.pause()
    if (countStored) {
      const commitSeconds = COMMIT_SECONDS[options.isShort ? 'short' : 'whole']
      found.singleCommits.push(await singleCommitsPerSecond(folder, commitSeconds))
    }
    alibi.resume()
    if (!scenario.isRepeated) requests = await ask(enough(own, seconds))
    const measured = await measure(alibi, requests, { seconds })
    own.push(measured)

    const perSecond = (PACE * measured.requests) / measured.seconds
    if (!scenario.isRepeated) requests = await ask(Math.ceil(perSecond * seconds))
    const paced = await measure(alibi, requests, { seconds, perSecond })
    own.push(paced)
    alibi.pause()
    bare.resume()
    const pacedBase = await measure(bare, plain, { seconds, perSecond })
    found.bare.push(roundOf(base, pacedBase))
    found.alibi.push(roundOf(measured, paced))
    step((round + 1) / options.rounds)
  }
  alibi.resume()

  if (countStored) {
    const answers = own.reduce((sum, one) => sum + one.requests, 0)
    const stored = countStored(stage) - storedBefore
    if (stored < answers) throw new Error(`${answers} answers, but only ${stored} are stored`)
  }
  return { ...found, startMs: alibi.answeredAfterMs, mebibytes: alibi.residentMebibytes() }
}

type Ask = (amount: number) => Promise<RequestFile>

function requester(
  { requests, isRepeated }: Scenario,
  { stage, path }: { stage: Stage; path: string },
): Ask {
  return async (amount) => requestFile(path, await requests(stage, amount), isRepeated)
}

function requestFile(path: string, requests: Iterable<string>, isRepeated: boolean): RequestFile {
  writeRequests(path, requests)
  return { path, isRepeated }
}

async function warmUpWith(
  ask: Ask,
  { scenario, stage, isShort }: { scenario: Scenario; stage: Stage; isShort: boolean },
): Promise<{ requests: RequestFile; figures: LoadFigures }> {
  const { isRepeated, expected } = scenario
  const amount = WARM_UP_REQUESTS[isShort ? 'short' : isRepeated ? 'repeated' : 'once']
  const requests = await ask(amount)
  const options = { seconds: WARM_UP_SECONDS, amount, expected }
  return { requests, figures: await load(stage.url, requests, options) }
}

/** So many requests that they hardly come to an end before the time does. */
function enough(earlier: readonly LoadFigures[], seconds: number): number {
  const fastest = Math.max(...earlier.map((one) => one.requests / one.seconds))
  return Math.ceil(SPARE * fastest * seconds)
}

type Measured = LoadFigures & { readonly busySeconds: number; readonly mainSeconds: number }

async function measure(
  server: MeasuredServer,
  requests: RequestFile,
  options: LoadOptions,
): Promise<Measured> {
  const [busy, main] = [server.processorSeconds(), server.mainThreadSeconds()]
  const figures = await load(server.url, requests, options)
  return {
    ...figures,
    busySeconds: server.processorSeconds() - busy,
    mainSeconds: server.mainThreadSeconds() - main,
  }
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
