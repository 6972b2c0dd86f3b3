import { expect, test } from 'bun:test'
import { reasonOf } from '../../application/reason-of.ts'

test('a reason is what went wrong and what that came from, as far as it is known', () => {
  const disk = new Error('the disk is full')
  const copy = new Error('it could not be copied', { cause: disk })
  expect(reasonOf(new Error('no backup', { cause: copy }))).toBe(
    'no backup: it could not be copied: the disk is full',
  )
  expect(reasonOf(disk)).toBe('the disk is full')
  expect(reasonOf(new Error('no backup', { cause: 'a signal' }))).toBe('no backup: a signal')
})
