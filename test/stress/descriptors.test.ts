import { expect, test } from 'bun:test'
import { buyer, openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { milliseconds, percentile, printFigures, tally } from '../support/stress/figures.ts'
import {
  hasProcessFigures,
  openDescriptors,
  processorMsOf,
} from '../support/stress/process-figures.ts'
import { openRaw, rawRequest } from '../support/stress/raw-connection.ts'
import { loggedErrors, readyStatus, untilReady } from '../support/stress/shop.ts'

// More connections than the service may open files: what needs one more (a mail, a call to Stripe) cannot be done. Bun
// asks for the next connection again and again meanwhile, with up to one processor, whose share is printed.

const DESCRIPTORS = 64
const CONNECTIONS = 200
/**
 * Were there before, and go on asking: each at the same time as the others, so that one mail's connection is not
 * enough.
 */
const INSIDERS = 8
const ROUNDS = 60

test('without file descriptors it refuses politely what needs one, does the rest, and recovers when some come back', async () => {
  if (!hasProcessFigures()) {
    process.stdout.write('not tested here: no file descriptors left (no /proc)\n')
    return
  }
  await using production = await openProduction()
  const limited = ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`, production.executable]
  const alibi = await production.start({ command: limited })
  const { token } = await buyer(alibi, production, 'reader@example.com').buy()
  const insiders = await Promise.all(Array.from({ length: INSIDERS }, () => openRaw(alibi.url)))
  const read = rawRequest('GET', '/premium-reasons', {
    headers: { Authorization: `Bearer ${token}` },
  })
  const store = (number: number) =>
    rawRequest('POST', '/auth/verify-email', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `new-${number}@example.com` }),
    })
  async function askAll(
    request: (number: number) => string,
  ): Promise<readonly (number | string)[]> {
    const exchanges = await Promise.all(
      insiders.map((connection, number) => connection.exchange(request(number))),
    )
    return exchanges.map((one) => (one.outcome === 'answered' ? one.status : one.outcome))
  }
  expect(new Set(await askAll(() => read))).toEqual(new Set([200]))

  const crowd = await Promise.all(Array.from({ length: CONNECTIONS }, () => openRaw(alibi.url)))
  await until('all descriptors are taken', () => openDescriptors(alibi.pid) >= DESCRIPTORS)
  const [usedBefore, watchedAt] = [processorMsOf(alibi.pid), performance.now()]
  const reads: (number | string)[] = []
  const stores: (number | string)[] = []
  const readMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    stores.push(...(await askAll((number) => store(round * INSIDERS + number))))
    const before = performance.now()
    reads.push(...(await askAll(() => read)))
    readMs.push(performance.now() - before)
    await Bun.sleep(20)
  }
  const share = (processorMsOf(alibi.pid) - usedBefore) / (performance.now() - watchedAt)

  const freedAt = performance.now()
  for (const connection of crowd) connection.close()
  await untilReady(alibi, 200)
  const recovered = performance.now() - freedAt
  await until('mails go out again', async () => {
    const statuses = await askAll((number) => store(1_000_000 + number))
    return statuses.every((status) => status === 200)
  })

  printFigures(
    'no file descriptors',
    `${CONNECTIONS} connections, ${DESCRIPTORS} descriptors: codes ${tally(stores)}; ` +
      `reads ${tally(reads)}, p99 ${milliseconds(percentile(readMs, 0.99))}; ${Math.round(share * 100)} % of a processor; served again ${milliseconds(recovered)} after the end`,
  )
  expect(new Set(reads)).toEqual(new Set([200]))
  // One that finds a connection to the mail provider which is there already needs no other.
  expect(stores).toContain(503)
  expect(stores.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(await readyStatus(alibi)).toBe(200)
  expect(loggedErrors(alibi)).toEqual([])
  for (const connection of insiders) connection.close()
  expect(await alibi.stop()).toBe(0)
})
