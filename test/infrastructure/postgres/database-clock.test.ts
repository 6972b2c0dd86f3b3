import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS, SECOND_MS } from '../../../domain/duration.ts'
import { databaseClock } from '../../../infrastructure/postgres/database-clock.ts'
import { NOON } from '../../support/fakes.ts'

/** How long a question takes to the database, and the answer back. */
type Way = { readonly there: number; readonly back: number }
const QUICK: Way = { there: 0.2, back: 0.2 }

/** Two machines, each with a clock that the test moves: the database's, and the service's own. */
function openMachines({ aheadMs = 0, ways = [] as Way[], startsAt = 1234.5 } = {}) {
  let monotonic = startsAt
  let database = NOON.getTime()
  let machine = NOON.getTime() + aheadMs
  let isDown = false
  let left = [...ways]

  function pass(milliseconds: number): void {
    monotonic += milliseconds
    database += milliseconds
    machine += milliseconds
  }

  const { clock, measure } = databaseClock({
    async askDatabase() {
      if (isDown) throw new Error('no answer')
      const { there, back } = left.shift() ?? QUICK
      pass(there)
      const told = new Date(Math.floor(database))
      pass(back)
      return told
    },
    monotonicMs: () => monotonic,
    machine: { now: () => new Date(machine) },
  })

  return {
    clock,
    measure,
    pass,
    /** How the next questions travel; those after them are quick. */
    travel(...next: Way[]) {
      left = next
    },
    setDatabase: (by: number) => {
      database += by
    },
    setMachine: (by: number) => {
      machine += by
    },
    /** The process, or its machine, does not run meanwhile. */
    suspend(milliseconds: number) {
      database += milliseconds
      machine += milliseconds
    },
    fail(fails = true) {
      isDown = fails
    },
    /** By how much the clock is ahead of the database's. */
    error: () => clock.now().getTime() - database,
  }
}

const off = (error: number) => Math.abs(error)

describe('the database’s clock', () => {
  test('has no time before it was measured, nor when that failed', async () => {
    const { clock, measure, fail } = openMachines()
    expect(() => clock.now()).toThrow('has not been measured yet')
    fail()
    await expect(measure()).rejects.toThrow('no answer')
    expect(() => clock.now()).toThrow('has not been measured yet')
  })

  test('is right whatever the machine’s own clock says', async () => {
    for (const aheadMs of [0, 3 * HOUR_MS, -3 * HOUR_MS]) {
      const { measure, error, pass, setMachine } = openMachines({ aheadMs })
      expect(await measure()).toEqual({ jumpMs: 0, machineAheadMs: expect.closeTo(aheadMs, -1) })
      setMachine(HOUR_MS)
      pass(HOUR_MS)
      expect(off(error())).toBeLessThan(2)
    }
  })

  test('takes half the way there and back for the moment of the first answer', async () => {
    const slow = { there: 400, back: 400 }
    const { measure, error } = openMachines({ ways: [slow, slow, slow] })
    await measure()
    expect(off(error())).toBeLessThan(2)
  })

  test('trusts the quickest answer, in whatever order they come', async () => {
    const slow = { there: 900, back: 0 }
    for (const ways of [
      [slow, QUICK, slow],
      [QUICK, slow, slow],
      [slow, slow, QUICK],
    ]) {
      const { measure, error } = openMachines({ ways })
      await measure()
      expect(off(error())).toBeLessThan(2)
    }
  })

  test('is not led astray by slow answers later', async () => {
    const { measure, error, travel } = openMachines()
    await measure()
    for (const slow of [
      { there: 5000, back: 0 },
      { there: 0, back: 5000 },
    ]) {
      travel(slow, slow, slow)
      expect(await measure()).toMatchObject({ jumpMs: 0 })
      expect(off(error())).toBeLessThan(2)
    }
  })

  test('goes on by itself while the database does not answer', async () => {
    const { clock, measure, error, fail, pass } = openMachines()
    await measure()
    fail()
    for (let minute = 0; minute < 3; minute++) {
      pass(HOUR_MS)
      await expect(measure()).rejects.toThrow('no answer')
    }
    expect(off(error())).toBeLessThan(2)
    expect(clock.now().getTime()).toBeGreaterThan(NOON.getTime() + 3 * HOUR_MS - 2)
  })

  test.each([2 * SECOND_MS, -2 * SECOND_MS, HOUR_MS, -HOUR_MS])(
    'jumps with the database at once, by %p ms, and says so',
    async (by) => {
      const { measure, error, setDatabase, pass } = openMachines()
      await measure()
      pass(10 * SECOND_MS)
      setDatabase(by)
      const { jumpMs } = await measure()
      expect(off(jumpMs - by)).toBeLessThan(2)
      expect(off(error())).toBeLessThan(2)
      expect(await measure()).toMatchObject({ jumpMs: 0 })
    },
  )

  test('is set right by a measurement after its machine was suspended', async () => {
    const { measure, error, suspend } = openMachines()
    await measure()
    suspend(HOUR_MS)
    expect(off(error() + HOUR_MS)).toBeLessThan(2)
    expect((await measure()).jumpMs).toBeGreaterThan(HOUR_MS - 2)
    expect(off(error())).toBeLessThan(2)
  })

  test('says of a jump also where the rest of the measurement failed', async () => {
    const { measure, setDatabase, fail, travel } = openMachines()
    await measure()
    setDatabase(HOUR_MS)
    travel(QUICK)
    const answered = measure()
    fail()
    await expect(answered).rejects.toThrow('no answer')
    fail(false)
    expect((await measure()).jumpMs).toBeGreaterThan(HOUR_MS - 2)
  })

  test('stands still rather than go back a little, and is true again soon', async () => {
    const { clock, measure, error, setDatabase, pass } = openMachines()
    await measure()
    const before = clock.now()
    setDatabase(-500)
    expect(await measure()).toMatchObject({ jumpMs: 0 })
    expect(clock.now()).toEqual(before)
    pass(490)
    expect(clock.now()).toEqual(before)
    pass(100)
    expect(off(error())).toBeLessThan(2)
  })

  test('is never further off than the quickest answer took, and never goes back, however answers travel', async () => {
    const leg = fc.integer({ min: 0, max: 800 })
    const way = fc.record({ there: leg, back: leg })
    const round = fc.record({
      ways: fc.array(way, { minLength: 3, maxLength: 3 }),
      passMs: fc.integer({ min: 0, max: 60_000 }),
      drift: fc.integer({ min: -20, max: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 20 }), async (rounds) => {
        const { clock, measure, error, travel, pass, setDatabase } = openMachines()
        let last = 0
        let sureMs = Number.POSITIVE_INFINITY
        for (const { ways, passMs, drift } of rounds) {
          travel(...ways)
          await measure()
          const quickest = Math.min(...ways.map(({ there, back }) => there + back))
          sureMs = Math.min(sureMs, quickest + 1)
          // It may be ahead while it stands still, until what was measured before has come.
          const now = clock.now().getTime()
          expect(now).toBeGreaterThanOrEqual(last)
          pass(2 * SECOND_MS)
          last = clock.now().getTime()
          expect(off(error())).toBeLessThanOrEqual(sureMs + 1)
          pass(passMs)
          setDatabase(drift)
          sureMs += off(drift)
        }
      }),
    )
  })
})
