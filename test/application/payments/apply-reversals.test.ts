import { describe, expect, test } from 'bun:test'
import {
  applyDisputes,
  applyRefunds,
  readReversals,
} from '../../../application/payments/apply-reversals.ts'
import type { Dispute } from '../../../domain/dispute.ts'
import type { Refund } from '../../../domain/refund.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'

const refund = (state: Refund['state']): Refund => ({
  id: 're_1',
  paymentIntentId: 'pi_one',
  amount: 400,
  state,
})
const dispute = (state: Dispute['state']): Dispute => ({
  id: 'du_1',
  paymentIntentId: 'pi_one',
  state,
  reportedAt: NOON,
})

/** An address that has bought, and bought again after the first payment was given back. */
async function openPaidAgain(ids: readonly string[] = ['one', 'two']) {
  const ports = fakePorts()
  for (const id of ids) {
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase(id) }))
  }
  const alarms = () => ports.log.lines.filter(({ level }) => level === 'error')
  return { ports, alarms }
}

describe('money that comes back to us', () => {
  test('logs both payments for the operator when a refund that bounced makes two of one', async () => {
    const { ports, alarms } = await openPaidAgain()
    await applyRefunds(ports, [refund('succeeded')], ORIGIN)
    expect(alarms()).toEqual([])
    expect(await applyRefunds(ports, [refund('failed')], ORIGIN)).toBe(1)
    expect(alarms()).toMatchObject([{ fields: { purchase: 'one', paid: 'one two' } }])
    expect(await applyRefunds(ports, [refund('failed')], ORIGIN)).toBe(0)
    expect(alarms()).toHaveLength(1)
  })

  test('does so, too, as a chargeback that was won', async () => {
    const { ports, alarms } = await openPaidAgain()
    await applyDisputes(ports, [dispute('open')], ORIGIN)
    expect(alarms()).toEqual([])
    await applyDisputes(ports, [dispute('won')], ORIGIN)
    expect(alarms()).toMatchObject([{ fields: { purchase: 'one', paid: 'one two' } }])
  })

  test('raises no alarm for the only payment, or for one of an unknown buyer', async () => {
    const { ports, alarms } = await openPaidAgain(['one'])
    await applyRefunds(ports, [refund('failed')], ORIGIN)
    await applyDisputes(ports, [{ ...dispute('won'), paymentIntentId: 'pi_stranger' }], ORIGIN)
    expect(alarms()).toEqual([])
  })
})

describe('what the provider is asked for', () => {
  test('is all of a payment, and is a change once', async () => {
    const { ports } = await openPaidAgain(['one'])
    ports.payments.refunds.push(refund('pending'))
    ports.payments.disputes.push(dispute('open'))
    expect(await readReversals(ports, 'pi_one', ORIGIN)).toBe(2)
    expect(await readReversals(ports, 'pi_one', ORIGIN)).toBe(0)
  })

  test('is nothing where no money has moved', async () => {
    const { ports } = await openPaidAgain([])
    expect(await readReversals(ports, null, ORIGIN)).toBe(0)
    expect(ports.payments.calls).toEqual([])
  })
})
