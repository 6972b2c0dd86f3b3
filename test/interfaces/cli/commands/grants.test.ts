import { describe, expect, test } from 'bun:test'
import type { DatedGrant } from '../../../../application/store.ts'
import { MINUTE_MS } from '../../../../domain/duration.ts'
import { grants } from '../../../../interfaces/cli/commands/grants.ts'
import type { FakePorts } from '../../../support/buyers.ts'
import { fakePorts, NOON, ORIGIN } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA, BERT, paidPurchase } from '../../../support/stores/contract-purchases.ts'

async function list(ports: Pick<FakePorts, 'premiumGrants'>, json = false) {
  const { lines, print } = recordedOutput()
  const exitCode = await grants({ ports, json, print })
  return { exitCode, lines }
}

const minutes = (count: number) => new Date(NOON.getTime() + count * MINUTE_MS)

/** Four grants: three bought, of which one was refunded and one is disputed and revoked, and one given. */
async function openShop() {
  const ports = fakePorts()
  for (const purchase of [
    paidPurchase('pur_01', { paidAt: minutes(1) }),
    paidPurchase('pur_02', { paidAt: minutes(2) }),
    paidPurchase('pur_03', { paidAt: minutes(3), revokedAt: minutes(9) }),
  ]) {
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
  }
  const refund = {
    id: 're_1',
    paymentIntentId: 'pi_pur_02',
    amount: 400,
    state: 'pending',
  } as const
  await ports.refunds.update([refund], ORIGIN, () => refund)
  const dispute = {
    id: 'du_1',
    paymentIntentId: 'pi_pur_03',
    state: 'open',
    reportedAt: NOON,
  } as const
  await ports.disputes.update([dispute], ORIGIN, () => dispute)
  await ports.premiumGrants.add({ id: 'grant_1', email: BERT }, { ...ORIGIN, at: NOON })
  return ports
}

describe('the list of grants', () => {
  test('has a line for each: whose, since when, by what, and whether it gives premium or why not', async () => {
    const id = (text: string) => text.padEnd(32)
    const address = (text: string) => text.padEnd(32)
    expect(await list(await openShop())).toEqual({
      exitCode: 0,
      lines: [
        `${id('ID')}  GIVEN        SINCE                     ${address('ADDRESS')}  STATE`,
        `${id('grant_1')}  by hand      2026-03-01T12:00:00.000Z  ${address(BERT)}  active`,
        `${id('pur_01')}  by purchase  2026-03-01T12:01:00.000Z  ${address(ANNA)}  active`,
        `${id('pur_02')}  by purchase  2026-03-01T12:02:00.000Z  ${address(ANNA)}  not active: refunded in full`,
        `${id('pur_03')}  by purchase  2026-03-01T12:03:00.000Z  ${address(ANNA)}  not active: revoked 2026-03-01T12:09:00.000Z, chargeback du_1 open`,
      ],
    })
  })

  test('in JSON is an object on each line', async () => {
    const { exitCode, lines } = await list(await openShop(), true)
    expect(exitCode).toBe(0)
    const objects = lines.map((line) => JSON.parse(line))
    expect(objects.map(({ id, isActive }) => [id, isActive])).toEqual([
      ['grant_1', true],
      ['pur_01', true],
      ['pur_02', false],
      ['pur_03', false],
    ])
    expect(objects[0]).toEqual({
      id: 'grant_1',
      email: BERT,
      payment: null,
      revokedAt: null,
      since: '2026-03-01T12:00:00.000Z',
      isActive: true,
    })
  })

  test('says so when there are none, and is empty in JSON', async () => {
    expect(await list(fakePorts())).toEqual({ exitCode: 0, lines: ['There are no grants.'] })
    expect(await list(fakePorts(), true)).toEqual({ exitCode: 0, lines: [] })
  })

  test.each([true, false])(
    'is written while it is read, so that it may be longer than memory: json %p',
    async (json) => {
      const { lines, print } = recordedOutput()
      const writtenBefore: number[] = []
      const all = Array.from(
        { length: 450 },
        (_, count): DatedGrant => ({
          id: `grant_${1000 + count}`,
          email: ANNA,
          payment: null,
          revokedAt: null,
          since: NOON,
        }),
      )
      const premiumGrants: FakePorts['premiumGrants'] = {
        ...fakePorts().premiumGrants,
        async list({ after, limit }) {
          writtenBefore.push(lines.filter((line) => line.includes('grant_')).length)
          return all.filter(({ id }) => after === null || id > after.id).slice(0, limit)
        },
      }
      await grants({ ports: { premiumGrants }, json, print })
      expect(writtenBefore).toEqual([0, 200, 400])
      expect(lines).toHaveLength(json ? 450 : 451)
    },
  )
})
