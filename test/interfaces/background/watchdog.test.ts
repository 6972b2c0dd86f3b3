import { expect, test } from 'bun:test'
import type { Supervisor } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { giveSignsOfLife } from '../../../interfaces/background/watchdog.ts'
import { recordingLog } from '../../support/fakes.ts'

/** Plays so many rounds, each of them sound or not, and keeps what came of it. */
async function play(rounds: readonly boolean[], patienceMs: number | null = 9000) {
  const log = recordingLog()
  const stop = new AbortController()
  const waits: number[] = []
  let signs = 0
  const signsAfterRound: number[] = []
  const supervisor: Supervisor = {
    patienceMs,
    starting() {},
    ready() {},
    stopping() {},
    alive: () => void signs++,
  }
  await giveSignsOfLife({
    supervisor,
    log,
    stopping: stop.signal,
    async checkSoundness() {
      if (!rounds[waits.length]) {
        throw new Unavailable('storage', { cause: new Error('alibi.db is another file now') })
      }
    },
    async wait(milliseconds) {
      waits.push(milliseconds)
      signsAfterRound.push(signs)
      if (waits.length === rounds.length) stop.abort()
    },
  })
  return { log, waits, signsAfterRound }
}

test('three signs of life fit into the time that the supervisor waits for one, the first at once', async () => {
  const { waits, signsAfterRound } = await play([true, true, true])
  expect(waits).toEqual([3000, 3000, 3000])
  expect(signsAfterRound).toEqual([1, 2, 3])
})

test('no sign is given while the service is unsound, and the log says so once', async () => {
  const { signsAfterRound, log } = await play([true, false, false, true, false])
  expect(signsAfterRound).toEqual([1, 1, 1, 2, 2])
  expect(log.lines).toHaveLength(2)
  expect(log.lines[0]).toMatchObject({
    level: 'error',
    event: 'watchdog.unhealthy',
    fields: { error: expect.stringContaining('alibi.db is another file now') },
  })
  expect((await play([false])).log.lines).toHaveLength(1)
})

test('where nobody waits for a sign, none is given and nothing is checked', async () => {
  expect(await play([], null)).toMatchObject({ waits: [], signsAfterRound: [] })
})
