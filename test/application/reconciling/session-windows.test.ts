import { describe, expect, test } from 'bun:test'
import {
  groupPurchases,
  WINDOW_PURCHASES_MAX,
  windowOf,
} from '../../../application/reconciling/session-windows.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../domain/duration.ts'
import type { Purchase } from '../../../domain/purchase.ts'
import { NOON } from '../../support/fakes.ts'
import { openPurchase } from '../../support/stores/contract-purchases.ts'

const madeAfter = (milliseconds: number): Purchase => ({
  ...openPurchase(`after ${milliseconds}`),
  createdAt: new Date(NOON.getTime() + milliseconds),
})

/** Purchases by when they were made, in milliseconds after noon, as they are grouped. */
async function groupsOf(moments: readonly number[]): Promise<number[][]> {
  async function* purchases() {
    for (const moment of moments) yield madeAfter(moment)
  }
  const groups = await Array.fromAsync(groupPurchases(purchases()))
  return groups.map((group) => group.map(({ createdAt }) => createdAt.getTime() - NOON.getTime()))
}

describe('purchases are listed together', () => {
  test('that were made within an hour of the next one', async () => {
    expect(await groupsOf([])).toEqual([])
    expect(await groupsOf([0])).toEqual([[0]])
    expect(await groupsOf([0, HOUR_MS, 2 * HOUR_MS])).toEqual([[0, HOUR_MS, 2 * HOUR_MS]])
    expect(await groupsOf([0, HOUR_MS + 1, DAY_MS])).toEqual([[0], [HOUR_MS + 1], [DAY_MS]])
  })

  test('until their order begins anew', async () => {
    expect(await groupsOf([MINUTE_MS, 2 * MINUTE_MS, 0, MINUTE_MS])).toEqual([
      [MINUTE_MS, 2 * MINUTE_MS],
      [0, MINUTE_MS],
    ])
  })

  test('and no more of them than take little memory', async () => {
    const groups = await groupsOf(Array.from({ length: 2 * WINDOW_PURCHASES_MAX + 1 }, (_, n) => n))
    expect(groups.map(({ length }) => length)).toEqual([
      WINDOW_PURCHASES_MAX,
      WINDOW_PURCHASES_MAX,
      1,
    ])
  })
})

describe('their window', () => {
  const roomOf = (lengthMs: number) => {
    const { since, until } = windowOf([madeAfter(0), madeAfter(lengthMs)])
    return [NOON.getTime() - since.getTime(), until.getTime() - NOON.getTime() - lengthMs]
  }

  test('has room at both ends for sessions that are made a moment later, and for clocks', () => {
    expect(roomOf(0)).toEqual([3 * SECOND_MS, 3 * SECOND_MS])
    expect(roomOf(20 * MINUTE_MS)).toEqual([MINUTE_MS, MINUTE_MS])
  })
})
