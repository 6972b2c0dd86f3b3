import { describe, expect, test } from 'bun:test'
import { statusCommand } from '../../../../interfaces/cli/commands/status.ts'
import { showWrongCodes } from '../../../../interfaces/cli/commands/status-wrong-codes.ts'
import { fakePorts, NOON } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { networkNumber } from '../../../support/senders.ts'
import { ANNA, BERT } from '../../../support/stores/contract-purchases.ts'

async function run(json: boolean) {
  const ports = fakePorts()
  const tries = (count: number, network: number) =>
    Array.from({ length: count }, () => ({ at: NOON, network: networkNumber(network) }))
  await ports.otps.update({ email: ANNA, sender: 'stranger' }, (record) => ({
    record: { ...record, wrongTries: [...tries(3, 1), ...tries(9, 2)] },
  }))
  await ports.otps.update({ email: BERT, sender: 'stranger' }, (record) => ({
    record: { ...record, wrongTries: tries(5, 1) },
  }))
  const { lines, print } = recordedOutput()
  expect(await showWrongCodes({ ports, json, print })).toBe(0)
  return lines
}

describe('alibi status --wrong-codes', () => {
  test('shows the addresses and the networks with the most wrong codes', async () => {
    expect(await run(false)).toEqual([
      'Wrong codes of the last 60 minutes: 17, addresses: 2, networks: 2',
      '',
      'Addresses:',
      '  ADDRESS           WRONG CODES',
      '  anna@example.com  12',
      '  bert@example.com  5',
      '',
      'Networks:',
      '  NETWORK      WRONG CODES',
      '  10.0.2.0/24  9',
      '  10.0.1.0/24  8',
    ])
  })

  test('shows the same as JSON', async () => {
    expect((await run(true)).map((line) => JSON.parse(line))).toEqual([
      {
        withinMinutes: 60,
        tries: 17,
        addresses: 2,
        networks: 2,
        topAddresses: [
          { email: ANNA, tries: 12 },
          { email: BERT, tries: 5 },
        ],
        topNetworks: [
          { network: '10.0.2.0/24', tries: 9 },
          { network: '10.0.1.0/24', tries: 8 },
        ],
      },
    ])
  })

  test('is asked for without an address, and an address without it', () => {
    const parse = (operands: readonly string[], wrongCodes?: boolean) =>
      statusCommand.parse(operands, { 'wrong-codes': wrongCodes })
    expect(parse([], true)).toEqual({ email: null })
    expect(parse(['anna@example.com'])).toEqual({ email: ANNA })
    expect(parse(['anna@example.com'], true)).toHaveProperty('usageError')
    expect(parse([])).toHaveProperty('usageError')
  })
})
