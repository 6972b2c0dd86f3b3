import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  bitsOf,
  networkOf,
  ONE_CLIENT,
  ONE_NETWORK,
  unmapped,
} from '../../domain/client-network.ts'

describe('networkOf', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1/32'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
  ])('takes %p for the client %p', (address, network) => {
    expect(String(networkOf(address, ONE_CLIENT))).toBe(network)
  })

  test.each([
    ['192.0.2.1', '192.0.2.0/24'],
    ['255.255.255.255', '255.255.255.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ])('finds %p in the network %p', (address, network) => {
    expect(String(networkOf(address, ONE_NETWORK))).toBe(network)
  })

  test.each([
    [{ ipv4: 16, ipv6: 56 }, '198.51.0.0/16', '2001:db8:ffff:ff00::/56'],
    [{ ipv4: 8, ipv6: 32 }, '198.0.0.0/8', '2001:db8::/32'],
    [{ ipv4: 23, ipv6: 33 }, '198.51.100.0/23', '2001:db8:8000::/33'],
  ])('cuts both families at %p', (prefix, ipv4, ipv6) => {
    expect(String(networkOf('198.51.101.9', prefix))).toBe(ipv4)
    expect(String(networkOf('2001:db8:ffff:ffff::1', prefix))).toBe(ipv6)
  })

  test('gives clients without an address one network of their own', () => {
    expect(String(networkOf(null, ONE_CLIENT))).toBe('unknown')
  })
})

describe('bitsOf', () => {
  test.each([
    ['192.0.2.1', { version: 4, high: 0xc0000201, low: 0 }],
    ['255.255.255.255', { version: 4, high: 0xffffffff, low: 0 }],
    ['2001:db8:1:2:3:4:5:6', { version: 6, high: 0x20010db8, low: 0x10002 }],
    ['ffff:ffff:ffff:ffff::', { version: 6, high: 0xffffffff, low: 0xffffffff }],
    ['::', { version: 6, high: 0, low: 0 }],
    ['64:ff9b::192.0.2.1', { version: 6, high: 0x64ff9b, low: 0 }],
    ['1:2:3:4:5:6:192.0.2.1', { version: 6, high: 0x10002, low: 0x30004 }],
    ['1:2:3::5:192.0.2.1', { version: 6, high: 0x10002, low: 0x30000 }],
  ] as const)('reads %p', (address, bits) => {
    expect(bitsOf(address)).toEqual(bits)
  })

  test('reads the numbers that were written, in large and in small letters', () => {
    const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.nat(0xff)))
    const groups = fc.tuple(...Array.from({ length: 8 }, () => fc.nat(0xffff)))
    fc.assert(
      fc.property(octets, groups, (four, eight) => {
        const high = Buffer.from(four).readUInt32BE()
        expect(bitsOf(four.join('.'))).toEqual({ version: 4, high, low: 0 })

        const written = eight.map((group) => group.toString(16)).join(':')
        const [first = 0, second = 0, third = 0, fourth = 0] = eight
        const bits = { high: first * 65_536 + second, low: third * 65_536 + fourth }
        expect(bitsOf(written)).toEqual({ version: 6, ...bits })
        expect(bitsOf(written.toUpperCase())).toEqual({ version: 6, ...bits })
        expect(String(networkOf(written, { ipv4: 32, ipv6: 128 }))).toBe(`${written}/128`)
      }),
    )
  })

  test('reads every spelling of an address as the URL parser does, where that can', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        // Bun's parser does not take `0:0:0::0:0.0.0.0`, which is an address.
        if (!URL.canParse(`http://[${address}]`)) return
        const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
        expect(bitsOf(address)).toEqual(bitsOf(canonical))
        const whole = { ipv4: 32, ipv6: 128 }
        expect(networkOf(address, whole)).toBe(networkOf(canonical, whole))
      }),
    )
  })
})

describe('unmapped', () => {
  test.each([
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::ffff:c633:6401', '198.51.100.1'],
    ['::198.51.100.1', '::198.51.100.1'],
    ['::FFFF:C633:6401', '198.51.100.1'],
    ['::ffff:0.0.0.0', '0.0.0.0'],
    ['2001:db8::ffff:198.51.100.1', '2001:db8::ffff:198.51.100.1'],
    ['::1:ffff:198.51.100.1', '::1:ffff:198.51.100.1'],
    ['198.51.100.1', '198.51.100.1'],
  ])('makes of %p %p', (address, expected) => {
    expect(unmapped(address)).toBe(expected)
  })
})
