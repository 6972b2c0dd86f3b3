import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { eraseEmail } from '../../../application/customers/erase-email.ts'
import { grantPremium } from '../../../application/customers/grant-premium.ts'
import { settleSession } from '../../../application/payments/settle-payment.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { hmacSecrets } from '../../../infrastructure/secrets/hmac-secrets.ts'
import { type FakePorts, openBuyer } from '../../support/buyers.ts'
import { fakePorts, inState, issueToken, ORIGIN } from '../../support/fakes.ts'
import { STRANGER } from '../../support/senders.ts'
import { ANNA, BERT, openPurchase } from '../../support/stores/contract-purchases.ts'
import { authenticate } from '../../support/token-readings.ts'

/** The name under which everything is kept. Fails unless the address was erased. */
async function erase(ports: FakePorts, email: Email = ANNA): Promise<Email> {
  const erasure = await eraseEmail(ports, email)
  if (erasure.outcome !== 'erased') throw new Error(JSON.stringify(erasure))
  return erasure.name
}

async function openPaid() {
  const buyer = await openBuyer()
  await settleSession(buyer.ports, buyer.move('paid'), 'webhook')
  return buyer
}

const isKnown = async ({ personalData }: FakePorts, email: Email = ANNA) =>
  Object.values(await personalData.find(email)).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== null,
  )

describe('an address that is erased', () => {
  test('is known no more, and what the books need is kept together under one name', async () => {
    const { ports, purchaseId, paymentIntentId } = await openPaid()
    await sendCode(ports, { email: ANNA, language: 'en', sender: STRANGER })
    await grantPremium(ports, ANNA)
    await logOut(ports, ANNA)
    const refund = { id: 're_1', paymentIntentId, amount: 100, state: 'succeeded' } as const
    await ports.refunds.update([refund], ORIGIN, () => refund)
    await grantPremium(ports, BERT)

    const erasure = await eraseEmail(ports, ANNA)
    expect(erasure).toEqual({
      outcome: 'erased',
      name: expect.stringMatching(/^erased-\w+@alibi\.invalid$/),
      kept: {
        purchases: 1,
        operatorGrants: 1,
        refunds: 1,
        disputes: 0,
        messages: 1,
        // Paid, refunded, given, and both revoked.
        auditEntries: 5,
        sandboxSessions: 0,
      },
      awaitReview: [],
    })
    expect(await isKnown(ports)).toBe(false)
    const { name } = erasure as { name: Email }
    const kept = await ports.personalData.find(name)
    expect(kept.purchases).toMatchObject([{ id: purchaseId, state: 'paid', email: name }])
    expect(kept.refunds).toEqual([refund])
    expect(kept.grants).toHaveLength(2)
    expect([kept.codes, kept.verification, kept.logOutLineAt]).toEqual([[], null, null])
    expect(await checkPremium(ports, BERT)).toBe(true)
  })

  test('has no premium any more, by a revocation of its own in the audit trail', async () => {
    const { ports } = await openPaid()
    ports.clock.advance(1000)
    const name = await erase(ports)
    expect([await checkPremium(ports, ANNA), await checkPremium(ports, name)]).toEqual([
      false,
      false,
    ])
    expect((await ports.auditTrail.findByEmail(name)).at(-1)).toMatchObject({
      at: ports.clock.now(),
      by: 'operator',
      source: 'erase',
      reason: 'revoked',
      isActive: false,
    })
  })

  test('gets another name each time, since they are different accounts', async () => {
    const ports = fakePorts()
    const names: Email[] = []
    for (let time = 0; time < 2; time++) {
      await grantPremium(ports, ANNA)
      names.push(await erase(ports))
    }
    expect(new Set(names).size).toBe(2)
    expect((await ports.personalData.find(names[0]!)).grants).toHaveLength(1)
    expect(await eraseEmail(ports, ANNA)).toEqual({ outcome: 'unknown' })
  })

  test('may come again, as a stranger', async () => {
    const { ports } = await openPaid()
    await erase(ports)
    const again = await openBuyer({ ports })
    await settleSession(ports, again.move('paid'), 'webhook')
    expect(await checkPremium(ports, ANNA)).toBe(true)
    expect((await ports.purchases.findAccount(ANNA)).purchases).toHaveLength(1)
    expect(await again.current()).toMatchObject({ isDuplicate: false })
  })

  test('that waits for an operator is erased, and still waits', async () => {
    const ports = fakePorts()
    const purchase = { ...inState(openPurchase('one'), 'review'), paymentIntentId: 'pi_one' }
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    expect(await eraseEmail(ports, ANNA)).toMatchObject({ awaitReview: [purchase.id] })
  })

  test('that is unknown is no failure, and leaves nothing behind', async () => {
    const { ports } = await openPaid()
    expect(await eraseEmail(ports, BERT)).toEqual({ outcome: 'unknown' })
    expect(await isKnown(ports, BERT)).toBe(false)
    expect(ports.payments.calls).not.toContain('expireSession')
  })
})

describe('the tokens of an erased address', () => {
  const refusal = new DomainError('invalid_token')

  test('are void at once, and stay so when it has bought again', async () => {
    const { ports } = await openPaid()
    const old = await issueToken(ports, ANNA)
    const other = await issueToken(ports, BERT)
    await erase(ports)
    await expect(authenticate(ports, old)).rejects.toEqual(refusal)

    await grantPremium(ports, ANNA)
    await expect(authenticate(ports, old)).rejects.toEqual(refusal)
    expect(await authenticate(ports, await issueToken(ports, ANNA))).toBe(ANNA)
    expect(await authenticate(ports, other)).toBe(BERT)
  })

  test('are void, too, where they were issued while the erasure waited for another process', async () => {
    const { ports } = await openPaid()
    const { erase: eraseNow } = ports.personalData
    let issuedMeanwhile = ''
    ports.personalData.erase = async (...request) => {
      ports.clock.advance(3000)
      issuedMeanwhile = await issueToken(ports, ANNA)
      return eraseNow(...request)
    }
    await erase(ports)
    await expect(authenticate(ports, issuedMeanwhile)).rejects.toEqual(refusal)
  })

  test('are void, too, where the clock was set back since the address last logged out', async () => {
    const { ports } = await openPaid()
    await logOut(ports, ANNA)
    ports.clock.advance(-MINUTE_MS)
    const old = await issueToken(ports, ANNA)
    await erase(ports)
    await expect(authenticate(ports, old)).rejects.toEqual(refusal)
  })

  test('stay void when the secret is rolled, as long as tokens of the old one count', async () => {
    const secrets = { ...hmacSecrets({ secret: 'old' }) }
    const { ports } = await openBuyer({ ports: fakePorts({ secrets }) as FakePorts })
    const old = await issueToken(ports, ANNA)
    await erase(ports)
    ports.secrets = hmacSecrets({ secret: 'new', previousSecret: 'old' })
    await expect(authenticate(ports, old)).rejects.toEqual(refusal)
  })

  test('can be ended by logging out, even when the clock was set back after the erasure', async () => {
    const { ports } = await openPaid()
    await erase(ports)
    ports.clock.advance(-MINUTE_MS)
    await grantPremium(ports, ANNA)
    const token = await issueToken(ports, ANNA)
    expect(await authenticate(ports, token)).toBe(ANNA)
    await logOut(ports, ANNA)
    await expect(authenticate(ports, token)).rejects.toEqual(refusal)
  })
})

describe('a payment page that is open', () => {
  test('is closed at the provider first', async () => {
    const { ports, sessionId, purchaseId } = await openBuyer()
    const name = await erase(ports)
    expect(ports.payments.sessions.get(sessionId)).toMatchObject({ outcome: 'expired', url: null })
    expect(await ports.purchases.findById(purchaseId)).toMatchObject({
      state: 'closed',
      email: name,
    })
  })

  test('that the provider has never confirmed is closed here alone', async () => {
    const ports = fakePorts()
    const purchase = openPurchase('pur_1')
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
    await erase(ports)
    expect(await ports.purchases.findById(purchase.id)).toMatchObject({ state: 'closed' })
    expect(ports.payments.calls).toEqual([])
  })

  test('that the provider does not know is closed here', async () => {
    const { ports, sessionId, current } = await openBuyer()
    ports.payments.sessions.delete(sessionId)
    await erase(ports)
    expect(await current()).toMatchObject({ state: 'closed' })
  })

  test.each([
    ['paid', 'paid_meanwhile'],
    ['processing', 'payment_processing'],
  ] as const)(
    'and turns out to be %s is settled, and nothing is erased',
    async (outcome, reason) => {
      const { ports, move, purchaseId, current } = await openBuyer()
      move(outcome)
      const refused = { outcome: 'refused', reason, purchase: purchaseId } as const
      expect(await eraseEmail(ports, ANNA)).toEqual(refused)
      expect(await current()).toMatchObject({ state: outcome, email: ANNA })
      expect((await ports.personalData.find(ANNA)).verification).not.toBeNull()
    },
  )

  test('and was paid with what was not asked for is put aside, and erased at the next try', async () => {
    const { ports, move, sessionId, purchaseId, current } = await openBuyer()
    ports.payments.sessions.set(sessionId, { ...move('paid'), amountTotal: 1 })
    expect(await eraseEmail(ports, ANNA)).toMatchObject({ reason: 'paid_meanwhile' })
    expect(await current()).toMatchObject({ state: 'review', email: ANNA })
    expect(await eraseEmail(ports, ANNA)).toMatchObject({ awaitReview: [purchaseId] })
  })

  test('is not taken for the provider’s outage where the database is out of order', async () => {
    const { ports } = await openBuyer()
    const outage = new Unavailable('storage', { cause: new Error('out of order') })
    ports.purchases.updateById = () => Promise.reject(outage)
    await expect(eraseEmail(ports, ANNA)).rejects.toBe(outage)
  })

  test('keeps everything as it is while the provider is out of reach', async () => {
    const { ports, purchaseId } = await openBuyer()
    await grantPremium(ports, ANNA)
    const before = await ports.personalData.find(ANNA)
    ports.payments.outage = true
    expect(await eraseEmail(ports, ANNA)).toEqual({
      outcome: 'refused',
      reason: 'provider_unavailable',
      purchase: purchaseId,
    })
    expect(ports.log.lines).toMatchObject([{ level: 'warn', fields: { purchase: purchaseId } }])
    expect(await ports.personalData.find(ANNA)).toEqual(before)
    ports.payments.outage = false
    await erase(ports)
  })

  test('is no obstacle where the provider is out of reach and nothing is open', async () => {
    const { ports } = await openPaid()
    ports.payments.outage = true
    await erase(ports)
  })

  test.each([
    ['open', 'page_opened'],
    ['processing', 'payment_processing'],
  ] as const)(
    'and is %s only in the very moment of the erasure keeps everything as it is',
    async (state, reason) => {
      const ports = fakePorts()
      await grantPremium(ports, ANNA)
      const { erase: eraseNow } = ports.personalData
      const purchase = inState(openPurchase('pur_1', { sessionId: 'cs_1' }), state)
      ports.personalData.erase = async (...request) => {
        await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
        return eraseNow(...request)
      }
      const refused = { outcome: 'refused', reason, purchase: purchase.id } as const
      expect(await eraseEmail(ports, ANNA)).toEqual(refused)
      expect(await checkPremium(ports, ANNA)).toBe(true)
    },
  )
})

describe('a payment on its way', () => {
  async function openProcessing() {
    const buyer = await openBuyer()
    await settleSession(buyer.ports, buyer.move('processing'), 'webhook')
    return buyer
  }

  test('keeps everything as it is, be the provider in reach or not', async () => {
    const { ports, purchaseId } = await openProcessing()
    const before = await ports.personalData.find(ANNA)
    const refused = { outcome: 'refused', purchase: purchaseId } as const
    expect(await eraseEmail(ports, ANNA)).toEqual({ ...refused, reason: 'payment_processing' })
    ports.payments.outage = true
    expect(await eraseEmail(ports, ANNA)).toEqual({ ...refused, reason: 'provider_unavailable' })
    expect(await ports.personalData.find(ANNA)).toEqual(before)
  })

  test('keeps everything as it is where the provider does not know its page', async () => {
    const { ports, sessionId, current } = await openProcessing()
    ports.payments.sessions.delete(sessionId)
    expect(await eraseEmail(ports, ANNA)).toMatchObject({ reason: 'payment_processing' })
    expect(await current()).toMatchObject({ state: 'processing', email: ANNA })
  })

  test('that has failed without a report is no obstacle', async () => {
    const { ports, move } = await openProcessing()
    move('failed')
    const name = await erase(ports)
    expect((await ports.personalData.find(name)).purchases).toMatchObject([{ state: 'closed' }])
  })

  test('that has come without a report is settled and can be erased at the next try', async () => {
    const { ports, move } = await openProcessing()
    move('paid')
    expect(await eraseEmail(ports, ANNA)).toMatchObject({ reason: 'paid_meanwhile' })
    expect(await checkPremium(ports, ANNA)).toBe(true)
    await erase(ports)
  })
})
