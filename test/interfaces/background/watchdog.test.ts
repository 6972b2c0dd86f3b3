import { expect, test } from 'bun:test'
import type { Supervisor } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { runWatchdog } from '../../../interfaces/background/watchdog.ts'
import { recordingLog } from '../../support/fakes.ts'

/** Plays so many rounds, in each of which the service is alive or not, and keeps what came of it. */
async function play(rounds: readonly boolean[], watchdogTimeoutMs: number | null = 9000) {
  const log = recordingLog()
  const stop = new AbortController()
  const waits: number[] = []
  let pings = 0
  const pingsAfterRound: number[] = []
  const supervisor: Supervisor = {
    watchdogTimeoutMs,
    starting() {},
    ready() {},
    stopping() {},
    pingWatchdog: () => void pings++,
  }
  await runWatchdog({
    supervisor,
    log,
    stopping: stop.signal,
    async checkLiveness() {
      if (!rounds[waits.length]) {
        throw new Unavailable('storage', { cause: new Error('alibi.db is another file now') })
      }
    },
    async wait(milliseconds) {
      waits.push(milliseconds)
      pingsAfterRound.push(pings)
      if (waits.length === rounds.length) stop.abort()
    },
  })
  return { log, waits, pingsAfterRound }
}

test('three pings fit into the time that the supervisor waits for one, the first at once', async () => {
  const { waits, pingsAfterRound } = await play([true, true, true])
  expect(waits).toEqual([3000, 3000, 3000])
  expect(pingsAfterRound).toEqual([1, 2, 3])
})

test('no ping is sent while the service is not alive, and the log says so once', async () => {
  const { pingsAfterRound, log } = await play([true, false, false, true, false])
  expect(pingsAfterRound).toEqual([1, 1, 1, 2, 2])
  expect(log.lines).toHaveLength(2)
  expect(log.lines[0]).toMatchObject({
    level: 'error',
    event: 'watchdog.unhealthy',
    fields: { error: expect.stringContaining('alibi.db is another file now') },
  })
  expect((await play([false])).log.lines).toHaveLength(1)
})

test('without a watchdog, no ping is sent and nothing is checked', async () => {
  expect(await play([], null)).toMatchObject({ waits: [], pingsAfterRound: [] })
})
