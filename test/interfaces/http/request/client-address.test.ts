import { describe, expect, test } from 'bun:test'
import { addressTest } from '../../../../infrastructure/config/network-settings.ts'
import { clientAddressReader } from '../../../../interfaces/http/request/client-address.ts'

function addressOf(peer: string | null, forwarded: string | null, trusted: string[] = []) {
  const headers: Record<string, string> = forwarded === null ? {} : { 'x-forwarded-for': forwarded }
  return clientAddressReader(addressTest(trusted), () => {})(
    new Request('http://localhost/', { headers }),
    peer,
  )
}

describe('clientAddressReader', () => {
  test.each([
    ['203.0.113.7', '198.51.100.1', [], '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', ['10.0.0.0/8'], '203.0.113.7'],
  ])('believes nobody it was not told to: %p saying %p', (peer, forwarded, trusted, expected) => {
    expect(addressOf(peer, forwarded, trusted)).toBe(expected)
  })

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.1.1.1, 10.9.9.9', '10.1.1.1'],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['1.1.1.1,198.51.100.1,::ffff:10.9.9.9', '198.51.100.1'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['1.1.1.1:1, 198.51.100.1:65535 , 10.9.9.9:80', '198.51.100.1'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7:443', '2001:db8::7:443'],
    ['[::ffff:198.51.100.1]:80', '198.51.100.1'],
    ['[fe80::7%eth0]:80', 'fe80::7'],
    ['1:2:3::5:192.0.2.1', '1:2:3::5:192.0.2.1'],
  ])('walks %p from right to left up to the first stranger', (forwarded, expected) => {
    expect(addressOf('10.0.0.2', forwarded, ['10.0.0.0/8'])).toBe(expected)
  })

  test.each([
    ['', '10.0.0.2'],
    ['unknown', '10.0.0.2'],
    ['198.51.100.1, not an address', '10.0.0.2'],
    ['198.51.100.1, , 10.9.9.9', '10.9.9.9'],
    ['198.51.100.1:', '10.0.0.2'],
    ['198.51.100.1:http', '10.0.0.2'],
    ['198.51.100.1:4711:4711', '10.0.0.2'],
    ['198.51.100.1:471100', '10.0.0.2'],
    ['[198.51.100.1]:4711', '10.0.0.2'],
    ['[198.51.100.1]', '10.0.0.2'],
    ['[2001:db8::7', '10.0.0.2'],
    ['2001:db8::7]', '10.0.0.2'],
    ['[2001:db8::7]443', '10.0.0.2'],
    ['[[2001:db8::7]]', '10.0.0.2'],
    ['[]:443', '10.0.0.2'],
    [`198.51.100.1:${'0'.repeat(9000)}1`, '10.0.0.2'],
    ['198.51.100.999', '10.0.0.2'],
    ['127.1', '10.0.0.2'],
    ['0x7f.0.0.1', '10.0.0.2'],
    ['198.51.100.1 10.0.0.9', '10.0.0.2'],
  ])('stops at the malformed entry in %p', (forwarded, expected) => {
    expect(addressOf('10.0.0.2', forwarded, ['10.0.0.0/8'])).toBe(expected)
  })

  test('trusts single addresses and blocks of both families', () => {
    const trusted = ['127.0.0.1', '2001:db8:1::/48', '::1']
    for (const peer of ['127.0.0.1', '::ffff:127.0.0.1', '2001:db8:1:2::3', '::1']) {
      expect(addressOf(peer, '198.51.100.1', trusted)).toBe('198.51.100.1')
    }
    for (const peer of ['127.0.0.2', '2001:db8:2::3', '::2']) {
      expect(addressOf(peer, '198.51.100.1', trusted)).toBe(peer)
    }
  })

  test('knows no address without a peer', () => {
    expect(addressOf(null, '198.51.100.1', ['10.0.0.0/8'])).toBeNull()
  })

  test.each(['nonsense', '10.0.0.0/99', ''])('does not start with %p as a proxy', (entry) => {
    expect(() => addressTest([entry])).toThrow('is neither an address nor a CIDR block')
  })

  test('reads the last 32 entries at most', () => {
    const own = (count: number) => Array<string>(count).fill('10.9.9.9').join(',')
    expect(addressOf('10.0.0.2', `198.51.100.1,${own(31)}`, ['10.0.0.0/8'])).toBe('198.51.100.1')
    expect(addressOf('10.0.0.2', `198.51.100.1,${own(32)}`, ['10.0.0.0/8'])).toBe('10.9.9.9')
  })

  test('says once that it cannot read what a trusted proxy sends, and only how that looks', () => {
    const log: unknown[] = []
    const read = clientAddressReader(addressTest(['10.0.0.0/8']), (...line) => log.push(line))
    const send = (forwarded: string, peer = '10.0.0.2') =>
      read(new Request('http://localhost/', { headers: { 'x-forwarded-for': forwarded } }), peer)
    send('', '10.0.0.2')
    send('nonsense, 198.51.100.1')
    send('nonsense', '203.0.113.7')
    expect(log).toEqual([])

    send('198.51.100.1, for="ada@example.com";by=[2001:db8::1]:x7')
    send('secret')
    expect(log).toEqual([
      ['proxy.address_unreadable', { shape: 'aaa="aaaaaaaaaaa.aaa";aa=[9999:aa9::9]:a9' }],
    ])
  })
})
