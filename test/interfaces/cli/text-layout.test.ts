import { expect, test } from 'bun:test'
import {
  alignColumns,
  padCells,
  section,
  tableSection,
} from '../../../interfaces/cli/text-layout.ts'

test('every column is as wide as its widest cell, and no line ends in spaces', () => {
  const rows = [
    ['a', 'bbbb', 'c'],
    ['aaa', 'b', ''],
  ]
  expect(alignColumns(rows)).toEqual(['a    bbbb  c', 'aaa  b'])
  expect(alignColumns([])).toEqual([])
})

test('a cell that is too wide for its column is shown whole', () => {
  expect(padCells(['aaaa', 'b', 'c'], [2, 3])).toBe('aaaa  b    c')
})

test('a section sets its rows in', () => {
  expect(section('Title', [['a', 'b']])).toBe('Title:\n  a  b')
})

test('a table names its columns, and says so when it is empty', () => {
  expect(tableSection('Refunds', ['ID', 'STATE'], [['re_1', 'pending']])).toBe(
    'Refunds:\n  ID    STATE\n  re_1  pending',
  )
  expect(tableSection('Refunds', ['ID', 'STATE'], [])).toBe('Refunds: none')
})
