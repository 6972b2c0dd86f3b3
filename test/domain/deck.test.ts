import { describe, expect, test } from 'bun:test'
import { drawFrom } from '../../domain/deck.ts'

const deck = (places: number[], had: number) => ({ places, had })

/** What is drawn for each random number, and the bound that it was asked within. */
function draws(
  one: { places: number[]; had: number },
  wanted: boolean[] | null,
): { bound: number; indices: (number | undefined)[] } {
  let bound = 0
  const draw = (index: number) =>
    drawFrom(one, wanted, (given) => {
      bound = given
      return index
    })
  const first = draw(0)
  return {
    bound,
    indices: [first, ...Array.from({ length: Math.max(0, bound - 1) }, (_, at) => draw(at + 1))],
  }
}

describe('drawFrom', () => {
  test('gives each place that was never had, by one random number', () => {
    expect(draws(deck([0, 1, 2, 3], 0), null)).toEqual({ bound: 4, indices: [0, 1, 2, 3] })
    expect(draws(deck([2, 0, 1, 3], 2), null)).toEqual({ bound: 2, indices: [2, 3] })
  })

  test('gives the one that was had longest ago once all were had, and asks no chance', () => {
    expect(draws(deck([2, 0, 1], 3), null)).toEqual({ bound: 0, indices: [0] })
  })

  test('gives only what is wanted, first what was never had', () => {
    const wanted = [true, false, true, false, true]
    expect(draws(deck([0, 1, 2, 3, 4], 0), wanted)).toEqual({ bound: 3, indices: [0, 2, 4] })
    expect(draws(deck([4, 1, 3, 2, 0], 2), wanted)).toEqual({ bound: 2, indices: [3, 4] })
  })

  test('gives what is wanted and was had longest ago once all that is wanted was had', () => {
    const wanted = [true, false, true, false, false]
    expect(draws(deck([1, 2, 0, 3, 4], 3), wanted)).toEqual({ bound: 0, indices: [1] })
  })

  test('finds nothing where nothing is wanted', () => {
    expect(draws(deck([0, 1], 1), [false, false]).indices).toEqual([undefined])
    expect(draws(deck([], 0), null).indices).toEqual([undefined])
  })
})
