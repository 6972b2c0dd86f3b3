import { expect, test } from 'bun:test'
import { isLoopback } from '../../application/loopback.ts'

test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true)
})

test.each([
  '',
  '0.0.0.0',
  '::',
  '128.0.0.1',
  '127.0.0.1.example.com',
  'localhost.example.com',
  '::2',
])('%p may be another machine', (host) => {
  expect(isLoopback(host)).toBe(false)
})
