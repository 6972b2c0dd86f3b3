import { describe, expect, test } from 'bun:test'
import { networkOf, ONE_CLIENT, ONE_NETWORK, unmapped } from '../../domain/client-network.ts'

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

describe('unmapped', () => {
  test.each([
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::ffff:c633:6401', '198.51.100.1'],
    ['::198.51.100.1', '::198.51.100.1'],
    ['2001:db8::ffff:198.51.100.1', '2001:db8::ffff:198.51.100.1'],
    ['198.51.100.1', '198.51.100.1'],
  ])('makes of %p %p', (address, expected) => {
    expect(unmapped(address)).toBe(expected)
  })
})
