import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { ipVersionOf, isLoopback } from '../../domain/ip-address.ts'

describe('ipVersionOf', () => {
  test.each([
    ['192.0.2.1', 4],
    ['0.0.0.0', 4],
    ['255.255.255.255', 4],
    ['::', 6],
    ['2001:DB8::1', 6],
    ['::ffff:192.0.2.1', 6],
    ['1:2:3:4:5:6:7:8', 6],
    ['fe80::1%eth0', 6],
  ])('knows %p as an address', (text, version) => {
    expect<number>(ipVersionOf(text)).toBe(version)
  })

  test.each([
    '',
    '1',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    ' 192.0.2.1',
    '192.0.2.1\n',
    '0x7f.0.0.1',
    ':',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::192.0.2.01',
    '[::1]',
    '::1]',
    '::1\n',
    'fe80::1%',
    'fe80::1%25]/',
    'a:80',
    'example.com',
  ])('knows %p as none', (text) => {
    expect<number>(ipVersionOf(text)).toBe(0)
  })

  test('agrees with node about whatever looks like an address', () => {
    const parts = fc.constantFrom(
      '0',
      '1',
      'ff',
      '0db8',
      '255',
      '256',
      '01',
      ':',
      '::',
      '.',
      '%',
      'g',
    )
    const likely = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.array(parts, { maxLength: 20 }).map((all) => all.join('')),
      fc
        .array(fc.constantFrom('1', 'ffff', '', '1.2.3.4'), { maxLength: 10 })
        .map((all) => all.join(':')),
    )
    fc.assert(
      fc.property(likely, (text) => {
        expect<number>(ipVersionOf(text)).toBe(isIP(text))
      }),
      { numRuns: 3000 },
    )
  })
})

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
