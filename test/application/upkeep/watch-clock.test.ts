import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { watchClock } from '../../../application/upkeep/watch-clock.ts'
import { SECOND_MS } from '../../../domain/duration.ts'
import { recordingLog } from '../../support/fakes.ts'

/** Looks at the clock once for each measurement, and returns what was logged. */
async function logOf(...measured: { jumpMs?: number; machineAheadMs?: number }[]) {
  const log = recordingLog()
  const left = measured.map((one) => ({ jumpMs: 0, machineAheadMs: 0, ...one }))
  const look = watchClock({ measureClock: async () => left.shift()!, log })
  for (const _ of measured) await look()
  return log.lines.map(({ event, fields }) => [event, fields])
}

describe('the watch on the clock', () => {
  test('says nothing while the clocks agree', async () => {
    const near = [0, 1, -1, 30 * SECOND_MS, -30 * SECOND_MS]
    expect(await logOf(...near.map((machineAheadMs) => ({ machineAheadMs })))).toEqual([])
  })

  test.each([30_001, -30_001])(
    'says once that the machine is far, and once that it is near: %p',
    async (far) => {
      const measured = [far, far, far, 0, 0, far].map((machineAheadMs) => ({ machineAheadMs }))
      expect(await logOf(...measured)).toEqual([
        ['clock.far', { machineAheadMs: far }],
        ['clock.near', { machineAheadMs: 0 }],
        ['clock.far', { machineAheadMs: far }],
      ])
    },
  )

  test('says every jump', async () => {
    expect(await logOf({ jumpMs: 5000 }, {}, { jumpMs: -5000 })).toEqual([
      ['clock.jumped', { jumpMs: 5000 }],
      ['clock.jumped', { jumpMs: -5000 }],
    ])
  })

  test('leaves a database that does not answer to whoever asks', async () => {
    const outage = new Unavailable('storage', { cause: new Error('closed') })
    const measureClock = () => Promise.reject(outage)
    await expect(watchClock({ measureClock, log: recordingLog() })()).rejects.toBe(outage)
  })
})
