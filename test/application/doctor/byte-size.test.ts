import { expect, test } from 'bun:test'
import { formatBytes } from '../../../application/doctor/byte-size.ts'

test.each([
  [0, '0 kB'],
  [1, '1 kB'],
  [999_999, '1000 kB'],
  [1_000_000, '1.0 MB'],
  [1_500_000_000, '1.5 GB'],
  [2_345_678_901_234, '2345.7 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
