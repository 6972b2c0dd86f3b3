import { type RequestFile, writeRequests } from '../load/request-file.ts'
import { type LoadFigures, type LoadOptions, load } from '../load/wrk.ts'
import type { Scenario, Stage } from '../scenarios/scenario.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'

const WARM_UP_SECONDS = 10
/** Until the runtime has compiled what is asked for often: before, a request takes up to twice as long. */
const WARM_UP_REQUESTS = { repeated: 150_000, once: 15_000, short: 500 }
/** So much faster a server may get from one round to the next: then there are still enough requests. */
const SPARE = 1.5

export type Measured = LoadFigures & { readonly busySeconds: number; readonly mainSeconds: number }

/** The load of a scenario on a service that has got the first of it. */
export type ServiceLoad = {
  /** As fast as it goes, or so many a second. */
  measure(options: { seconds: number; perSecond?: number }): Promise<Measured>
  /** How many answers there were, before the first measurement too. */
  answers(): number
}

/** Sends the requests that are no part of the figures: of these, every answer is looked at. */
export async function serviceLoad(
  scenario: Scenario,
  {
    server,
    stage,
    path,
    isShort,
  }: { server: MeasuredServer; stage: Stage; path: string; isShort: boolean },
): Promise<ServiceLoad> {
  const { isRepeated, expected } = scenario
  async function ask(amount: number): Promise<RequestFile> {
    writeRequests(path, await scenario.requests(stage, amount))
    return { path, isRepeated }
  }

  const amount = WARM_UP_REQUESTS[isShort ? 'short' : isRepeated ? 'repeated' : 'once']
  let requests = await ask(amount)
  const options = { seconds: WARM_UP_SECONDS, amount, expected }
  const earlier: LoadFigures[] = [await load(stage.url, requests, options)]
  return {
    async measure({ seconds, perSecond }) {
      const needed = perSecond === undefined ? enough(earlier, seconds) : perSecond * seconds
      if (!isRepeated) requests = await ask(Math.ceil(needed))
      const pace = perSecond === undefined ? {} : { perSecond }
      const measured = await measureLoad(server, requests, { seconds, ...pace })
      earlier.push(measured)
      return measured
    },
    answers: () => earlier.reduce((sum, one) => sum + one.requests, 0),
  }
}

/** So many requests that they hardly come to an end before the time does. */
function enough(earlier: readonly LoadFigures[], seconds: number): number {
  const fastest = Math.max(...earlier.map((one) => one.requests / one.seconds))
  return Math.ceil(SPARE * fastest * seconds)
}

/** Loads a server, and looks at its process before and after. */
export async function measureLoad(
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
