import { expect, test } from 'bun:test'
import { openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { milliseconds, percentile, printFigures } from '../support/stress/figures.ts'
import {
  type Exchange,
  openRaw,
  type RawConnection,
  rawRequest,
} from '../support/stress/raw-connection.ts'
import { IS_WHOLE_STRESS } from '../support/thoroughness.ts'

// SIGTERM in the middle of as much as sixteen clients can ask. A request that the service has read is in its log, so
// that what it has read and what its clients have got can be compared.

const ROUNDS = IS_WHOLE_STRESS ? 50 : 10
const CLIENTS = 16
const KEPT_ALIVE = CLIENTS / 2
const ANSWERS_BEFORE = 10 * CLIENTS

/** On a kept connection when there was an answer on it before. */
type Asked = { readonly isKept: boolean; readonly exchange: Exchange }

/** Asks on and on, and ends when nobody listens any more. */
async function askOn(
  { url }: AlibiProcess,
  isKeptAlive: boolean,
  seen: Asked[],
  name: string,
): Promise<void> {
  let connection: RawConnection | null = null
  for (let number = 0; ; number++) {
    const isKept: boolean = connection?.isOpen() ?? false
    if (!connection || !isKept) connection = await openRaw(url)
    const exchange = await connection.exchange(requestOf(number, name, isKeptAlive))
    seen.push({ isKept, exchange })
    if (exchange.outcome === 'refused') return
    if (!isKeptAlive || exchange.outcome !== 'answered' || exchange.closes) {
      connection.close()
      connection = null
    }
  }
}

/** Something to look up, something to render, something to store and mail. */
function requestOf(number: number, name: string, isKeptAlive: boolean): string {
  const headers = isKeptAlive ? {} : { Connection: 'close' }
  if (number % 3 === 0) return rawRequest('GET', '/auth/check?email=a@example.com', { headers })
  if (number % 3 === 1) return rawRequest('GET', '/languages', { headers })
  const body = JSON.stringify({ email: `${name}-${number}@example.com` })
  const json = { ...headers, 'Content-Type': 'application/json' }
  return rawRequest('POST', '/auth/verify-email', { headers: json, body })
}

function countLogged(alibi: AlibiProcess): number {
  return alibi.output().split('"event":"http.request"').length - 1
}

test('on SIGTERM under load every request that was read is answered, whole', async () => {
  await using production = await openProduction()
  const seen: Asked[] = []
  const stops: number[] = []
  let logged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const alibi = await production.start()
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      askOn(alibi, index % 2 === 0, seen, `round-${round}-${index}`),
    )
    const before = seen.length
    await until('they are in the middle of it', () => seen.length - before > ANSWERS_BEFORE)
    const askedAt = performance.now()
    expect(await alibi.stop()).toBe(0)
    stops.push(performance.now() - askedAt)
    await Promise.all(clients)
    logged += countLogged(alibi)
  }

  const count = (outcome: Exchange['outcome'], isKept: boolean) =>
    seen.filter((one) => one.exchange.outcome === outcome && one.isKept === isKept).length
  const answered = count('answered', true) + count('answered', false)
  printFigures(
    'SIGTERM under load',
    `${ROUNDS} rounds, ${CLIENTS} clients: ${logged} requests read, ${answered} answered whole, ${logged - answered} lost; ` +
      `${count('unanswered', true)} reset unread on kept connections and ${count('unanswered', false)} on new ones; ` +
      `stopped within ${milliseconds(percentile(stops, 1))}`,
  )
  expect(count('cut', true) + count('cut', false)).toBe(0)
  expect(answered).toBe(logged)
  expect(answered).toBeGreaterThan(ROUNDS * CLIENTS)
  // A client that a machine stops for longer than the service waits for it comes too late. All would, did it not wait.
  expect(count('unanswered', true)).toBeLessThan((ROUNDS * KEPT_ALIVE) / 2)
})
