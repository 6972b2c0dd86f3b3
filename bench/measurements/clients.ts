import { join } from 'node:path'
import { get, writeRequests } from '../load/request-file.ts'
import { load } from '../load/wrk.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import type { Measurement, Outcome } from './measurement.ts'

const CLIENTS = 1_000_000
const SECONDS_MAX = 600
/** An odd number, so that every multiple modulo 2^32 is another address. */
const STRIDE = 2_654_435_761
/** No client is refused, and each is remembered for as long as by default. */
const SETTINGS = { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_GENERAL: '100000/15m' }

/** What a million clients of the rate limiter take of memory, each with one request through a proxy. */
export const CLIENTS_OF_THE_LIMITER: Measurement = {
  name: 'clients',
  runs: 'unless short',
  async measure(run: Run): Promise<Outcome> {
    const step = progress('a million clients')
    step(0)
    const path = join(run.folder, 'requests')
    const from = (addressOf: (number: number) => string) =>
      writeRequests(path, requestsFrom(addressOf))
    const file = { path, isRepeated: false }
    await using alibi = await run.startAlibi({ settings: SETTINGS })

    // The same number of requests, so that only the clients make a difference.
    from(() => '192.0.2.1')
    const one = await load(alibi.url, file, { seconds: SECONDS_MAX })
    const before = alibi.residentMebibytes()
    step(0.5)
    from((number) => ipv4Of((number * STRIDE) % 2 ** 32))
    const many = await load(alibi.url, file, { seconds: SECONDS_MAX })
    const after = alibi.residentMebibytes()
    step(1)

    const head = ['a million requests of', 'MiB in use', 'a second']
    const rows = [
      ['one client', before.toFixed(0), (one.requests / one.seconds).toFixed(0)],
      ['a million clients', after.toFixed(0), (many.requests / many.seconds).toFixed(0)],
    ]
    return { table: { name: 'clients', head, rows }, raw: { before, after, one, many } }
  },
}

function* requestsFrom(addressOf: (number: number) => string): Generator<string> {
  for (let number = 0; number < CLIENTS; number++) {
    yield get('/languages', { 'X-Forwarded-For': addressOf(number) })
  }
}

/** With a first part from 1 to 223, of addresses that clients may have. */
function ipv4Of(number: number): string {
  const parts = [number >>> 24, number >>> 16, number >>> 8, number].map((part) => part & 255)
  return [1 + ((parts[0] ?? 0) % 223), ...parts.slice(1)].join('.')
}
