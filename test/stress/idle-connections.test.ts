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
  residentBytes,
} from '../support/stress/process-figures.ts'

// Connections on which nothing is ever asked, as many as the machine lets one process have.

const CONNECTIONS = 10_000
/** What this process has open beside them. */
const OTHERS_MAX = 1000
const WARM_UP = 100
const REQUESTS = 300
/** Many times what an answer takes on a busy machine, and far less than the crowd would make a client wait. */
const ANSWERED_WITHIN_MS = 200
const PATH = '/auth/check?email=a@example.com'

test('ten thousand idle connections delay nobody, cost little memory, and hold up no end', async () => {
  if (!hasProcessFigures()) {
    process.stdout.write('not tested here: idle connections (no /proc)\n')
    return
  }
  const size = Math.min(CONNECTIONS, descriptorsMax() - OTHERS_MAX)
  await using production = await openProduction()
  const alibi = await production.start()
  await timeOthers(alibi.url, PATH, WARM_UP)
  const alone = percentile(await timeOthers(alibi.url, PATH, REQUESTS), 0.99)
  const before = residentBytes(alibi.pid)

  const crowd = await gatherCrowd(alibi.url, size)
  try {
    await until('all of them are let in', () => openDescriptors(alibi.pid) > size)
    const among = percentile(await timeOthers(alibi.url, PATH, REQUESTS), 0.99)
    const grown = residentBytes(alibi.pid) - before
    expect(crowd.closed()).toBe(0)
    const askedAt = performance.now()
    expect(await alibi.stop()).toBe(0)
    const stopped = performance.now() - askedAt
    printFigures(
      'idle connections',
      `${size} of ${CONNECTIONS}: p99 of others ${milliseconds(among)}, ${milliseconds(alone)} before; ` +
        `${megabytes(before)} grew by ${megabytes(grown)}; stopped with them in ${seconds(stopped)}`,
    )
    expect(among).toBeLessThan(ANSWERED_WITHIN_MS)
    expect(grown).toBeLessThan(200_000_000)
    expect(stopped).toBeLessThan(5000)
    await until('all of them are closed', () => crowd.closed() === size)
  } finally {
    crowd.leave()
  }
})
