import { describe, expect, test } from 'bun:test'
import { refuseUnfit, rowHash } from '../../../infrastructure/data-migration/carried-rows.ts'
import {
  CARRIED_TABLES,
  type CarriedRow,
} from '../../../infrastructure/data-migration/carried-tables.ts'

const named = (name: string) => CARRIED_TABLES.find((table) => table.name === name)!
const GRANT: CarriedRow = ['grant_1', 'ada@example.com', 1, null]

describe('a row that not both databases hold', () => {
  test.each([
    ['operator_grants', ['grant_1', 'ada\0@example.com', 1, null], 'operator_grants.email'],
    [
      'operator_grants',
      ['grant_1', 'a', 8_640_000_000_000_001, null],
      'operator_grants.granted_at',
    ],
    ['operator_grants', ['grant_1', 'a', -210_866_803_200_001, null], 'operator_grants.granted_at'],
    [
      'operator_grants',
      ['grant_1', 'a', Number.POSITIVE_INFINITY, 1],
      'operator_grants.granted_at',
    ],
    ['refunds', ['re_1', 'pi_1', 2 ** 53, 'pending'], 'refunds.amount'],
    ['service_mails', [1, 1, 2, null], 'service_mails.had_premium'],
    [
      'otp_wrong_tries',
      ['ada@example.com', 'holder', 2 ** 31, 1, null],
      'otp_wrong_tries.position',
    ],
  ] as const)('of %s is refused: %j', (table, row, column) => {
    expect(() => refuseUnfit(named(table), [row], 0)).toThrow(column)
  })

  test('is named by its key, and its value is not told', () => {
    const rows = [GRANT, ['grant_2', 'eve\0@example.com', 1, null]]
    expect(() => refuseUnfit(named('operator_grants'), rows, 0)).toThrow(
      /^operator_grants\.email of the row with id "grant_2" has a NUL in it, which PostgreSQL cannot hold$/,
    )
  })

  test('is named by its place where the key has an address', () => {
    const rows = [1, 2 ** 53].map((epoch) => ['ada@example.com', epoch] as const)
    expect(() => refuseUnfit(named('log_outs'), rows, 5000)).toThrow(
      /^log_outs\.epoch of row 5002 in the order of email is no whole number below 2\^53$/,
    )
  })

  test('is none at the very edge', () => {
    const edges: CarriedRow[] = [
      ['grant_1', 'ada@example.com', -210_866_803_200_000, 8_640_000_000_000_000],
      ['grant_2', '', 0, null],
    ]
    expect(() => refuseUnfit(named('operator_grants'), edges, 0)).not.toThrow()
    const most: CarriedRow = ['re_1', 'pi_1', Number.MAX_SAFE_INTEGER, 'pending']
    expect(() => refuseUnfit(named('refunds'), [most], 0)).not.toThrow()
  })
})

describe('the checksum of a table', () => {
  test('is that of a line of JSON for each row', () => {
    const hash = rowHash()
    hash.add([GRANT])
    const lines = '["grant_1","ada@example.com",1,null]\n'
    const sha256 = new Bun.CryptoHasher('sha256').update(lines).digest('hex')
    expect(hash.digest()).toEqual({ rows: 1, sha256 })
  })

  test('does not depend on how many rows come at once', () => {
    const [one, other] = [rowHash(), rowHash()]
    one.add([GRANT, ['grant_2', 'eve@example.com', 2, 3]])
    other.add([GRANT])
    other.add([['grant_2', 'eve@example.com', 2, 3]])
    expect(one.digest()).toEqual(other.digest())
  })
})
