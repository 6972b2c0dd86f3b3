import { describe, expect, test } from 'bun:test'
import { callPace, pacedPayments } from '../../../application/reconciling/paced-payments.ts'
import { SECOND_MS } from '../../../domain/duration.ts'
import { NOON } from '../../support/fakes.ts'
import { scriptedPayments } from '../../support/stripe/scripted-payments.ts'

/** Time that passes only where somebody waits. */
function movedTime() {
  let nowMs = 0
  return {
    nowMs: () => nowMs,
    pass: (milliseconds: number) => {
      nowMs += milliseconds
    },
    clock: {
      monotonicMs: () => nowMs,
      wait: async (milliseconds: number) => {
        nowMs += milliseconds
      },
    },
  }
}

function mostInASecond(moments: readonly number[]): number {
  const within = (from: number) => moments.filter((at) => at >= from && at < from + SECOND_MS)
  return Math.max(...moments.map((from) => within(from).length))
}

describe('the pace', () => {
  test('keeps calls below 20 in any second, the first one at once', async () => {
    const { clock, nowMs } = movedTime()
    const pace = callPace(clock)
    const turns: number[] = []
    for (let call = 0; call < 200; call++) {
      await pace()
      turns.push(nowMs())
    }
    expect(turns[0]).toBe(0)
    expect(mostInASecond(turns)).toBeWithin(15, 20)
  })

  test('gives callers at one time one turn after the other', async () => {
    const waits: number[] = []
    const pace = callPace({
      monotonicMs: () => 0,
      wait: async (milliseconds) => void waits.push(milliseconds),
    })
    await Promise.all(Array.from({ length: 100 }, pace))
    expect(mostInASecond([0, ...waits])).toBeWithin(15, 20)
    expect(waits).toEqual(waits.toSorted((left, right) => left - right))
  })

  test('saves up nothing while nobody calls', async () => {
    const { clock, nowMs, pass } = movedTime()
    const pace = callPace(clock)
    await pace()
    pass(60 * SECOND_MS)
    const turns: number[] = []
    for (let call = 0; call < 40; call++) {
      await pace()
      turns.push(nowMs())
    }
    expect(turns[0]).toBe(60 * SECOND_MS)
    expect(mostInASecond(turns)).toBeWithin(15, 20)
  })
})

test('every call to the provider takes a turn, and answers as it did', async () => {
  const gateway = scriptedPayments()
  let turns = 0
  const paced = pacedPayments(gateway, async () => void turns++)
  const window = { since: NOON, cursor: null }
  const page = { items: [], unreadable: [], cursor: null }
  expect(await paced.findSessions({ ...window, until: NOON })).toEqual(page)
  expect(await paced.findCompletedSessions(window)).toEqual(page)
  expect(await paced.findUndeliveredNotifications(window)).toEqual(page)
  expect(await paced.findRefunds(window)).toEqual(page)
  expect(await paced.findDisputes(window)).toEqual(page)
  expect(await paced.readSession('cs_nobody')).toBeNull()
  expect(await paced.listRefunds('pi_nobody')).toEqual([])
  expect(await paced.listDisputes('pi_nobody')).toEqual([])
  expect(await paced.price()).toEqual({ amount: 400, currency: 'eur' })
  expect(turns).toBe(9)
})
