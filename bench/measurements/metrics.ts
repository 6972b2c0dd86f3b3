import { join } from 'node:path'
import { get, writeRequests } from '../load/request-file.ts'
import { load } from '../load/wrk.ts'
import { median } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'
import type { Measurement, Outcome } from './measurement.ts'

/** What a request costs more for being measured, and for its line in the log. */
export const METRICS: Measurement = {
  name: 'metrics',
  runs: 'when named or written',
  async measure(run: Run): Promise<Outcome> {
    const path = join(run.folder, 'requests')
    writeRequests(path, [get('/languages')])
    const { rounds, seconds } = run.options
    const step = progress('metrics and log')
    // A database has one service at a time.
    const own = { addresses: 1000, writes: true }
    await using whole = await run.startAlibi(own)
    await using unmeasured = await run.startAlibi({ ...own, settings: { METRICS_PORT: '' } })
    await using silent = await run.startAlibi({ ...own, settings: { LOG_LEVEL: 'error' } })
    const kinds = [
      ['log and metrics', whole],
      ['no metrics', unmeasured],
      ['no log', silent],
    ] as const

    const raw = new Map<string, number[]>(kinds.map(([name]) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      step(round / rounds)
      for (const [name, server] of kinds) raw.get(name)?.push(await costOf(server, path, seconds))
    }
    step(1)
    const rows = Array.from(raw, ([name, costs]) => [name, median(costs).toFixed(1)])
    const head = ['/languages with', 'processor µs']
    return { table: { name: 'metrics', head, rows }, raw: Object.fromEntries(raw) }
  },
}

/** The processor time of one request, in microseconds. */
async function costOf(server: MeasuredServer, path: string, seconds: number): Promise<number> {
  const before = server.processorSeconds()
  const { requests } = await load(server.url, { path, isRepeated: true }, { seconds })
  return (1e6 * (server.processorSeconds() - before)) / requests
}
