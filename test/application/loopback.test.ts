import { expect, test } from 'bun:test'
import { isLoopback } from '../../application/loopback.ts'

test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])(
  '%s is this very machine',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

test.each([
  '',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  'localhost.example.com',
  'my-localhost',
  '127.example.com',
  '[::2]',
])('%j is another one, or more than this one', (host) => {
  expect(isLoopback(host)).toBe(false)
})
