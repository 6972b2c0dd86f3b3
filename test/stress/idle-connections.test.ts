import { expect, test } from 'bun:test'
import { openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { gatherCrowd, timeOthers } from '../support/stress/crowd.ts'
import {
  megabytes,
  milliseconds,
  percentile,
  printFigures,
  seconds,
} from '../support/stress/figures.ts'
import {
  descriptorsMax,
  hasProcessFigures,
  openDescriptors,
  processorMsOf,
  residentBytes,
} from '../support/stress/process-figures.ts'

// Connections on which nothing is ever asked, as many as the machine lets one process have.

const CONNECTIONS = 10_000
/** What this process has open beside them. */
const OTHERS_MAX = 1000
const WARM_UP = 100
const REQUESTS = 300
const PATH = '/auth/check?email=a@example.com'

test('ten thousand idle connections make no request dearer, cost little memory, and hold up no end', async () => {
  if (!hasProcessFigures()) {
    process.stdout.write('not tested here: idle connections (no /proc)\n')
    return
  }
  const size = Math.min(CONNECTIONS, descriptorsMax() - OTHERS_MAX)
  await using production = await openProduction()
  const alibi = await production.start()
  await timeOthers(alibi.url, PATH, WARM_UP)
  /** The slowest of many requests but for one in a hundred, and what all of them cost: in processor time. */
  async function askMany() {
    const usedBefore = processorMsOf(alibi.pid)
    const p99 = percentile(await timeOthers(alibi.url, PATH, REQUESTS), 0.99)
    return { p99, usedMs: processorMsOf(alibi.pid) - usedBefore }
  }
  const alone = await askMany()
  const before = residentBytes(alibi.pid)

  const crowd = await gatherCrowd(alibi.url, size)
  try {
    // The first of them may have idled for too long by now.
    const left = () => size - crowd.closed()
    await until('all of them are let in', () => openDescriptors(alibi.pid) > left())
    const among = await askMany()
    const grown = residentBytes(alibi.pid) - before
    const stayed = left()
    const askedAt = performance.now()
    // It would be another code, had it waited for them in vain.
    expect(await alibi.stop()).toBe(0)
    const stopped = performance.now() - askedAt
    printFigures(
      'idle connections',
      `${size} of ${CONNECTIONS}, ${stayed} to the end: p99 of others ${milliseconds(among.p99)}, ${milliseconds(alone.p99)} before; ` +
        `${REQUESTS} of them ${among.usedMs} ms of a processor, ${alone.usedMs} ms before; ` +
        `${megabytes(before)} grew by ${megabytes(grown)}; stopped with them in ${seconds(stopped)}`,
    )
    // Many times as much where a request had to do with each of them.
    expect(among.usedMs).toBeLessThan(10 * alone.usedMs)
    expect(grown).toBeLessThan(200_000_000)
  } finally {
    crowd.leave()
  }
})
