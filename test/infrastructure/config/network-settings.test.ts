import { expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import fc from 'fast-check'
import { ipVersionOf } from '../../../domain/ip-address.ts'
import { addressTest } from '../../../infrastructure/config/network-settings.ts'

const familyOf = (address: string) => (ipVersionOf(address) === 6 ? 'ipv6' : 'ipv4')

/** Few enough that an address is often in a block. */
const ADDRESS = fc
  .tuple(
    fc.constantFrom('10.0.', '10.1.', '::ffff:10.0.', '::', 'fd00::', '2001:db8::'),
    fc.constantFrom('0', '1', '255'),
    fc.constantFrom('0', '1', '128'),
  )
  .map(([first, third, last]) => first + [third, last].join(first.includes('.') ? '.' : ':'))

const BLOCK = ADDRESS.chain((address) =>
  fc
    .integer({ min: 0, max: familyOf(address) === 'ipv4' ? 32 : 128 })
    .map((length) => ({ address, length })),
)

test('an address is in the same blocks as by node', () => {
  fc.assert(
    fc.property(ADDRESS, BLOCK, (tested, { address, length }) => {
      const blocks = new BlockList()
      blocks.addSubnet(address, length, familyOf(address))
      const isInBlock = blocks.check(tested, familyOf(tested))
      expect(addressTest([`${address}/${length}`])(tested)).toBe(isInBlock)
    }),
    { numRuns: 3000 },
  )
})

test('an address alone is a block of itself', () => {
  const isListed = addressTest(['10.0.0.1', 'fd00::1'])
  const tested = ['10.0.0.1', '::ffff:10.0.0.1', 'fd00:0::1', '10.0.0.2', 'fd00::2', '::1']
  expect(tested.map(isListed)).toEqual([true, true, true, false, false, false])
})

test('no address is in an empty list', () => {
  expect(addressTest([])('10.0.0.1')).toBe(false)
})
