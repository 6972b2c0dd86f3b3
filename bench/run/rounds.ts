import { join } from 'node:path'
import { get, type RequestFile, writeRequests } from '../load/request-file.ts'
import { singleCommitsPerSecond } from '../load/single-commits.ts'
import { type LoadFigures, load } from '../load/wrk.ts'
import type { Round, Rounds } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Scenario, Stage } from '../scenarios/scenario.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'
import type { Run } from './run.ts'

const WARM_UP_SECONDS = 10
const WARM_UP_REQUESTS = { repeated: 20_000, once: 2000, short: 500 }
/** So much faster a server may get from one round to the next: then there are still enough requests. */
const SPARE = 1.5

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
  const { isRepeated, expected, writes, countStored } = scenario
  const step = progress(`${scenario.name}, ${addresses} addresses`)
  step(0)
  await using alibi = await run.startAlibi({ addresses, writes })
  const { url, database } = alibi
  const stage: Stage = { url, database, addresses, tokens, takeNumbers: run.takeNumbers }

  const plain = write(join(folder, 'bare'), [get('/')], true)
  const path = join(folder, 'requests')
  const ask = async (amount: number) =>
    write(path, await scenario.requests(stage, amount), isRepeated)

  const amount = WARM_UP_REQUESTS[options.isShort ? 'short' : isRepeated ? 'repeated' : 'once']
  let requests = await ask(amount)
  const storedBefore = countStored?.(stage) ?? 0
  bare.pause()
  const warmUp = await load(url, requests, { seconds: WARM_UP_SECONDS, amount, expected })
  let answers = warmUp.requests
  let fastest = warmUp.requests / warmUp.seconds

  const found = { bare: [] as Round[], alibi: [] as Round[], singleCommits: [] as number[] }
  for (let round = 0; round < options.rounds; round++) {
    if (!isRepeated) requests = await ask(Math.ceil(SPARE * fastest * options.seconds))
    alibi.pause()
    bare.resume()
    found.bare.push(roundOf(await measure(bare, plain, options.seconds)))
    bare.pause()
    if (countStored)
      found.singleCommits.push(await singleCommitsPerSecond(folder, options.isShort ? 0.3 : 1))
    alibi.resume()
    const own = await measure(alibi, requests, options.seconds)
    found.alibi.push(roundOf(own))
    answers += own.requests
    fastest = Math.max(fastest, own.requests / own.seconds)
    step((round + 1) / options.rounds)
  }
  bare.resume()
  const stored = countStored ? countStored(stage) - storedBefore : answers
  if (stored < answers) throw new Error(`${answers} answers, but only ${stored} are stored`)
  return { ...found, startMs: alibi.answeredAfterMs, mebibytes: alibi.residentMebibytes() }
}

function write(path: string, requests: Iterable<string>, isRepeated: boolean): RequestFile {
  writeRequests(path, requests)
  return { path, isRepeated }
}

type Measured = LoadFigures & { readonly busySeconds: number }

async function measure(
  server: MeasuredServer,
  requests: RequestFile,
  seconds: number,
): Promise<Measured> {
  const before = server.processorSeconds()
  const figures = await load(server.url, requests, { seconds })
  return { ...figures, busySeconds: server.processorSeconds() - before }
}

function roundOf({ requests, seconds, p50, p99, busySeconds }: Measured): Round {
  const microseconds = (1e6 * busySeconds) / requests
  return { perSecond: requests / seconds, p50, p99, microseconds }
}
