import { join } from 'node:path'
import { type RequestFile, writeRequests } from './load/request-file.ts'
import { type LoadFigures, load } from './load/wrk.ts'
import type { Scenario, Stage } from './scenarios/scenario.ts'
import type { MeasuredServer } from './servers/measured-process.ts'

/** One round of load on one server. Latencies are in milliseconds. */
export type Round = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The server's own time on the processor for each request. */
  readonly microseconds: number
}

/** Rounds of both servers, one after the other, and the service's memory after the last one. */
export type Rounds = {
  readonly bare: readonly Round[]
  readonly alibi: readonly Round[]
  readonly mebibytes: number
}

const WARM_UP_SECONDS = 1
const WARM_UP_REQUESTS = 2000
/** A server gets faster while it warms up. */
const SPARE = 1.5

/**
 * Loads the bare server and the service in turn. The one that is not under load stands still. The requests before the
 * first round are no part of the figures: of these, every answer is looked at.
 */
export async function measureRounds(
  scenario: Scenario,
  {
    stage,
    servers: { bare, alibi },
    rounds,
    seconds,
    folder,
  }: {
    stage: Stage
    servers: { bare: MeasuredServer; alibi: MeasuredServer }
    rounds: number
    seconds: number
    folder: string
  },
): Promise<Rounds> {
  const plain = writeFile(join(folder, 'bare'), ['GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'], true)
  const path = join(folder, 'requests')
  const { isRepeated, expected } = scenario
  const askFor = async (amount: number) =>
    writeFile(path, await scenario.requests(stage, amount), isRepeated)

  let requests = await askFor(WARM_UP_REQUESTS)
  const begun = scenario.promises?.begin(stage) ?? 0
  bare.pause()
  const warmUp = await load(alibi.url, requests, { seconds: WARM_UP_SECONDS, expected })
  let answers = warmUp.requests
  let fastest = warmUp.requests / warmUp.seconds

  const found = { bare: [] as Round[], alibi: [] as Round[] }
  for (let round = 0; round < rounds; round++) {
    if (!isRepeated) requests = await askFor(Math.ceil(SPARE * fastest * seconds))
    alibi.pause()
    bare.resume()
    found.bare.push(roundOf(await measured(bare, plain, seconds)))
    bare.pause()
    alibi.resume()
    const own = await measured(alibi, requests, seconds)
    found.alibi.push(roundOf(own))
    answers += own.requests
    fastest = Math.max(fastest, own.requests / own.seconds)
  }
  bare.resume()
  scenario.promises?.check(stage, begun, answers)
  return { ...found, mebibytes: alibi.residentMebibytes() }
}

function writeFile(path: string, requests: Iterable<string>, isRepeated: boolean): RequestFile {
  writeRequests(path, requests)
  return { path, isRepeated }
}

type Measured = LoadFigures & { readonly busySeconds: number }

async function measured(
  server: MeasuredServer,
  requests: RequestFile,
  seconds: number,
): Promise<Measured> {
  const before = server.processorSeconds()
  const figures = await load(server.url, requests, { seconds })
  return { ...figures, busySeconds: server.processorSeconds() - before }
}

function roundOf({ requests, seconds, p50, p99, busySeconds }: Measured): Round {
  return {
    perSecond: requests / seconds,
    p50,
    p99,
    microseconds: (1e6 * busySeconds) / requests,
  }
}
