import { join } from 'node:path'
import { get, writeRequests } from '../load/request-file.ts'
import { load } from '../load/wrk.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import type { Measurement, Outcome } from './measurement.ts'

const REQUESTS = 1_000_000
/** So few that they are no load, and so many that none of them reaches the limit. */
const FEW = 20
const SECONDS_MAX = 600
/** Nobody is refused, and each is remembered for as long as by default. */
const SETTINGS = { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_GENERAL: '100000/15m' }

/** What the rate limiter's clients take of memory: a million of them, with one request each through a proxy. */
export const CLIENTS_OF_THE_LIMITER: Measurement = {
  name: 'clients',
  runs: 'unless short',
  async measure(run: Run): Promise<Outcome> {
    const step = progress('a million clients')
    step(0)
    const path = join(run.folder, 'requests')
    const file = { path, isRepeated: false }
    await using alibi = await run.startAlibi({ settings: SETTINGS })

    // The same number of requests, so that only the clients make a difference.
    writeRequests(path, requestsOf(FEW))
    const few = await load(alibi.url, file, { seconds: SECONDS_MAX })
    const before = alibi.residentMebibytes()
    step(0.5)
    writeRequests(path, requestsOf(REQUESTS))
    const many = await load(alibi.url, file, { seconds: SECONDS_MAX })
    const after = alibi.residentMebibytes()
    step(1)

    const head = ['a million requests of', 'MiB in use', 'a second']
    const rows = [
      [`${FEW} clients`, before.toFixed(0), (few.requests / few.seconds).toFixed(0)],
      ['a million clients', after.toFixed(0), (many.requests / many.seconds).toFixed(0)],
    ]
    return { table: { name: 'clients', head, rows }, raw: { before, after, few, many } }
  },
}

function* requestsOf(clients: number): Generator<string> {
  for (let number = 0; number < REQUESTS; number++) {
    yield get('/languages', { 'X-Forwarded-For': addressOf(number % clients) })
  }
}

/** Each in a /24 of its own, of 4,096 networks of /16: the limiter has places for so many of the widest networks. */
function addressOf(number: number): string {
  return `${20 + (number % 16)}.${(number >>> 4) & 255}.${(number >>> 12) & 255}.1`
}
