import { describe, expect, test } from 'bun:test'
import {
  type BodyGroup,
  bodyBudget,
  CLIENT_BODIES_MAX,
  GROUP_BYTES_MAX,
  WHOLE_BYTES_MAX,
  YOUNG_BYTES_MAX,
} from '../../../../../interfaces/http/request/body/body-budget.ts'

const MIB = 1024 * 1024

/** A budget, and the names of the bodies that had to give way, in that order. */
function openBudget() {
  const budget = bodyBudget()
  const gone: string[] = []
  /** A body that is young; with bytes, some of it has arrived. */
  function young(name: string, client: string, bytes = 0, group: BodyGroup = 'webhook') {
    const account = budget.open({ group, client, giveWay: () => void gone.push(name) })
    account.add(bytes)
    return account
  }
  function underWay(name: string, client: string, bytes = 0, group: BodyGroup = 'webhook') {
    const account = young(name, client, 0, group)
    account.countAsUnderWay()
    account.add(bytes)
    return account
  }
  return { gone, young, underWay }
}

const clients = (count: number) => Array.from({ length: count }, (_, index) => `client ${index}`)

describe('a client has at most eight bodies under way', () => {
  test('and the ninth gives way, of whichever group it is', () => {
    const { gone, underWay } = openBudget()
    for (let index = 0; index < CLIENT_BODIES_MAX; index++) {
      underWay(`${index}`, 'one', 1, index % 2 === 0 ? 'webhook' : 'other')
    }
    expect(gone).toEqual([])
    underWay('ninth webhook', 'one', 1, 'webhook')
    underWay('ninth other', 'one', 1, 'other')
    underWay("another's", 'two')
    expect(gone).toEqual(['ninth webhook', 'ninth other'])
  })

  test('and any number that do not count yet', () => {
    const { gone, young, underWay } = openBudget()
    for (let index = 0; index < 100; index++) young(`${index}`, 'one', 1000)
    expect(gone).toEqual([])
    for (let index = 0; index < CLIENT_BODIES_MAX; index++) underWay(`${index}`, 'one')
    expect(gone).toEqual([])
  })

  test('and each that ends makes room for another', () => {
    const { gone, underWay } = openBudget()
    for (let index = 0; index < 100; index++) {
      const accounts = Array.from({ length: CLIENT_BODIES_MAX }, () => underWay('one more', 'one'))
      for (const { end } of accounts) end()
    }
    expect(gone).toEqual([])
  })
})

describe.each<[BodyGroup, number]>([
  ['webhook', 24 * MIB],
  ['other', 8 * MIB],
])('bodies of the group %s', (group, bytesMax) => {
  test(`hold at most ${bytesMax} bytes, and the oldest of the client with most gives way`, () => {
    const { gone, underWay } = openBudget()
    underWay('oldest', 'small', bytesMax / 8, group)
    underWay('large, older', 'large', bytesMax / 4, group)
    underWay('large, newer', 'large', bytesMax / 4, group)
    underWay('middle', 'middle', bytesMax / 4 + bytesMax / 8, group)
    expect(gone).toEqual([])
    const newcomer = underWay('newcomer', 'new', 1, group)
    expect(gone).toEqual(['large, older'])
    newcomer.add(bytesMax / 4)
    expect(gone).toEqual(['large, older', 'middle'])
  })

  test('give way one after another until what is left fits in', () => {
    const { gone, underWay } = openBudget()
    for (const client of clients(8)) underWay(client, client, bytesMax / 8, group)
    const last = underWay('last', 'new', 0, group)
    last.add(bytesMax / 8 + 1)
    expect(gone).toEqual(['last'])
    underWay('newcomer', 'new', bytesMax / 8, group)
    expect(gone).toEqual(['last', 'client 0'])
  })

  test('that have ended or given way hold nothing, and are not called again', () => {
    const { gone, underWay } = openBudget()
    const first = underWay('first', 'one', bytesMax, group)
    const second = underWay('second', 'two', 1, group)
    expect(gone).toEqual(['first'])
    first.add(bytesMax)
    first.countAsUnderWay()
    first.end()
    second.end()
    second.add(bytesMax)
    underWay('third', 'three', bytesMax, group)
    expect(gone).toEqual(['first'])
  })

  test('are not crowded out by those of the other group', () => {
    const other = group === 'webhook' ? 'other' : 'webhook'
    const { gone, underWay } = openBudget()
    underWay('ours', 'one', bytesMax, group)
    for (const client of clients(100)) underWay(client, client, GROUP_BYTES_MAX[other], other)
    expect(gone).not.toContain('ours')
    expect(gone).toHaveLength(99)
  })
})

test('bodies that do not count yet hold at most 8 MiB: past it, the oldest of them count at once', () => {
  const { gone, young } = openBudget()
  expect(YOUNG_BYTES_MAX).toBe(8 * MIB)
  const uncounted = 8
  const names = clients(uncounted + CLIENT_BODIES_MAX + 2)
  for (const name of names) young(name, 'one', MIB)
  expect(gone).toEqual(['client 8', 'client 9'])
  young('newcomer', 'new', MIB)
  expect(gone).toEqual(['client 8', 'client 9', 'client 10'])
})

test('bodies that are taken in one go announce at most 1 MiB together', () => {
  const budget = bodyBudget()
  expect(budget.reserve(WHOLE_BYTES_MAX)).toBe(true)
  expect(budget.reserve(1)).toBe(false)
  budget.release(10)
  expect([11, 10, 1].map(budget.reserve)).toEqual([false, true, false])
})
