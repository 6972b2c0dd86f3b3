import { describe, expect, test } from 'bun:test'
import { NOON } from '../support/fakes.ts'
import { STORES } from '../support/stores/stores.ts'

describe.each(STORES)('SweepRepository on %s', (_, open) => {
  test('knows no run of a sweep that never ran', async () => {
    const { sweeps } = await open()

    expect(await sweeps.findLastRun('refunds')).toBeNull()
  })

  test('keeps the last run of each sweep to the millisecond', async () => {
    const { sweeps } = await open()
    const later = new Date(NOON.getTime() + 1)
    await sweeps.recordRun('refunds', NOON)
    await sweeps.recordRun('disputes', NOON)
    await sweeps.recordRun('refunds', later)

    expect(await sweeps.findLastRun('refunds')).toEqual(later)
    expect(await sweeps.findLastRun('disputes')).toEqual(NOON)
  })

  test('takes back a run that a clock which was wrong had put in the future', async () => {
    const { sweeps } = await open()
    await sweeps.recordRun('refunds', new Date(NOON.getTime() + 1))
    await sweeps.recordRun('refunds', NOON)

    expect(await sweeps.findLastRun('refunds')).toEqual(NOON)
  })
})
