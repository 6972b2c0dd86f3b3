import { expect, test } from 'bun:test'
import { logOut } from '../../../application/access/log-out.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { exportEmail } from '../../../application/customers/export-email.ts'
import { settleSession } from '../../../application/payments/settle-payment.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { openBuyer } from '../../support/buyers.ts'
import { fakePorts } from '../../support/fakes.ts'
import { STRANGER } from '../../support/senders.ts'
import { ANNA, BERT } from '../../support/stores/contract-purchases.ts'
import { NO_RECORDS } from '../../support/stores/stored-persons.ts'

test('of a buyer there is everything, as of this moment, and no secret', async () => {
  const { ports, move, purchaseId } = await openBuyer()
  await settleSession(ports, move('paid'), 'webhook')
  const code = await sendCode(ports, { email: ANNA, language: 'en', sender: STRANGER })
  await logOut(ports, ANNA)
  ports.clock.advance(11 * MINUTE_MS)

  const exported = await exportEmail(ports, ANNA)
  expect(exported).toMatchObject({
    email: ANNA,
    exportedAt: ports.clock.now(),
    hasPremium: true,
    codes: [{ attemptsLeft: 5, isLive: false }],
    verification: { isLive: true },
    purchases: [{ id: purchaseId, state: 'paid' }],
    grants: [{ id: purchaseId, isActive: true }],
    messages: [{ kind: 'payment_confirmed' }],
    audit: [{ reason: 'paid' }],
  })
  expect(exported.codeMails).toHaveLength(1)
  expect(exported.logOutLineAt).not.toBeNull()
  // The fake's seed is its code.
  expect(JSON.stringify(exported)).not.toContain(`"${code}"`)
})

test('a code lives until it expires', async () => {
  const ports = fakePorts()
  await sendCode(ports, { email: ANNA, language: 'en', sender: STRANGER })
  ports.clock.advance(10 * MINUTE_MS - 1)
  expect((await exportEmail(ports, ANNA)).codes).toMatchObject([{ isLive: true }])
  ports.clock.advance(1)
  expect((await exportEmail(ports, ANNA)).codes).toMatchObject([{ isLive: false }])
})

test('a code from a clock that was ahead does not live', async () => {
  const ports = fakePorts()
  ports.clock.advance(5 * MINUTE_MS)
  await sendCode(ports, { email: ANNA, language: 'en', sender: STRANGER })
  ports.clock.advance(-5 * MINUTE_MS)
  expect((await exportEmail(ports, ANNA)).codes).toMatchObject([{ isLive: false }])
})

test('of a stranger there is nothing, and that is no error', async () => {
  const { ports } = await openBuyer()
  expect(await exportEmail(ports, BERT)).toEqual({
    email: BERT,
    exportedAt: ports.clock.now(),
    hasPremium: false,
    ...NO_RECORDS,
  })
})
