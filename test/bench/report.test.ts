import { describe, expect, test } from 'bun:test'
import { withTable } from '../../bench/report/document.ts'
import { figuresOf, median, quantile, type Round } from '../../bench/report/figures.ts'
import { printed, type Table } from '../../bench/report/table.ts'

const TABLE: Table = {
  name: 'requests',
  head: ['request', 'share'],
  rows: [
    ['languages', '0.50'],
    ['mix', '0.1'],
  ],
}

const round = (perSecond: number, own: Partial<Round> = {}): Round => ({
  ...{ perSecond, p50: 1, p99: 2, microseconds: 10 },
  ...{ mainMicroseconds: 9, busy: 1, p99AtHalf: 1 },
  ...own,
})

describe('the figures of a benchmark', () => {
  test('are medians', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([9, 1, 5, 4])).toBe(4.5)
    expect(() => median([])).toThrow()
  })

  test('have the value that so large a share does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect([0.5, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([50, 99, 100])
  })

  test('are medians of ratios, so that what slows both servers down changes nothing', () => {
    const slow = { microseconds: 30, p99AtHalf: 4 }
    const figures = figuresOf({
      bare: [round(100), round(50, slow), round(20, slow)],
      alibi: [
        round(50, { p99AtHalf: 2 }),
        round(25, { p99AtHalf: 8 }),
        round(10, { p99AtHalf: 8 }),
      ],
      singleCommits: [],
      startMs: 1,
      mebibytes: 1,
    })
    expect(figures).toMatchObject({ share: 0.5, p99AtHalfMultiple: 2, bareMicroseconds: 30 })
  })

  test('are medians, so that one disturbed round changes nothing', () => {
    const figures = figuresOf({
      bare: [round(100), round(1), round(100)],
      alibi: [round(50, { p99: 6 }), round(50, { p99: 6 }), round(4, { p99: 900 })],
      singleCommits: [10, 10, 10],
      startMs: 1,
      mebibytes: 1,
    })
    expect(figures).toMatchObject({ share: 0.5, p99Multiple: 3, singleCommitsMultiple: 5 })
  })
})

describe('the report of a benchmark', () => {
  test('is aligned on a terminal', () => {
    expect(printed(TABLE)).toBe('request    share\nlanguages   0.50\nmix          0.1')
  })

  test('takes the place of the older one between the markers of its name, and of nothing else', () => {
    const page = 'A\n<!-- requests -->\nold\n<!-- /requests -->\nB\n'
    const written = withTable(page, TABLE, 'From here.')
    expect(written).toBe(
      'A\n<!-- requests -->\n| request | share |\n|---|---:|\n| languages | 0.50 |\n| mix | 0.1 |\n\n' +
        'From here.\n\n<!-- /requests -->\nB\n',
    )
    expect(withTable(written, TABLE, 'From here.')).toBe(written)
  })

  test('needs a place on the page', () => {
    expect(() => withTable('A\n', TABLE, 'From here.')).toThrow('<!-- requests -->')
  })
})
