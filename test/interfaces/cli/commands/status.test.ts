import { describe, expect, test } from 'bun:test'
import { redeemOtp } from '../../../../application/access/redeem-otp.ts'
import { sendCode } from '../../../../application/access/send-code.ts'
import { grantPremium } from '../../../../application/customers/grant-premium.ts'
import { revokePremium } from '../../../../application/customers/revoke-premium.ts'
import type { Dispute } from '../../../../domain/dispute.ts'
import { MINUTE_MS } from '../../../../domain/duration.ts'
import type { Origin } from '../../../../domain/grant-change.ts'
import { parseOtpCode } from '../../../../domain/otp.ts'
import type { Refund } from '../../../../domain/refund.ts'
import type { Sender } from '../../../../domain/sender.ts'
import { status } from '../../../../interfaces/cli/commands/status.ts'
import { fakePorts, ORIGIN } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { HOLDER, stranger } from '../../../support/senders.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../../../support/stores/contract-purchases.ts'

const WEBHOOK: Origin = { at: ORIGIN.at, by: 'webhook', source: 'evt_1' }
const DISPUTE: Dispute = {
  id: 'du_1',
  paymentIntentId: 'pi_two',
  state: 'lost',
  reportedAt: ORIGIN.at,
}

async function run(ports: ReturnType<typeof fakePorts>, { email = ANNA, json = false } = {}) {
  const { lines, print } = recordedOutput()
  const exitCode = await status({ ports, email, json, print })
  return { exitCode, lines }
}

/**
 * Anna bought once and got a part of it back, bought once more and took the money back, and has a page open; then an
 * operator gave her premium.
 */
async function openAnna() {
  const ports = fakePorts()
  const purchases = [
    paidPurchase('one'),
    paidPurchase('two', { isDuplicate: true }),
    openPurchase('three'),
  ]
  for (const purchase of purchases) {
    await ports.purchases.update(ANNA, WEBHOOK, () => ({ purchase }))
  }
  await ports.refunds.update([REFUND], { ...WEBHOOK, source: 'evt_2' }, () => REFUND)
  await ports.disputes.update([DISPUTE], { ...WEBHOOK, source: null }, () => DISPUTE)
  ports.clock.advance(MINUTE_MS)
  await grantPremium(ports, ANNA)
  return ports
}

const NO_CODES = {
  strangers: { mails: 0, wrongTries: 0 },
  holders: { mails: 0, wrongTries: 0 },
  mailboxMails: 0,
  networks: 0,
  topNetworks: [],
}

/** Somebody asks for Anna's codes and guesses them; she herself does so twice. */
async function openAttacked() {
  const ports = fakePorts()
  const mail = (sender: Sender) => sendCode(ports, { email: ANNA, language: 'en', sender })
  const guess = (sender: Sender) =>
    redeemOtp(ports, { email: ANNA, code: parseOtpCode('999999'), sender }).catch(() => {})
  for (let count = 0; count < 4; count++) await mail(stranger(1))
  for (let count = 0; count < 4; count++) await guess(stranger(1))
  await mail(stranger(2))
  await mail(HOLDER)
  await guess(HOLDER)
  return ports
}

describe('for people', () => {
  test('shows premium, why, what was bought and given back, and every change', async () => {
    const { exitCode, lines } = await run(await openAnna())
    expect(exitCode).toBe(0)
    expect(lines).toEqual([
      'anna@example.com has premium.',
      '',
      'Grants:',
      '  ID            GIVEN        STATE',
      '  grant_000001  by hand      active',
      '  one           by purchase  active',
      '  two           by purchase  not active: chargeback du_1 lost',
      '',
      'Purchases:',
      '  ID     STATE                 CREATED                   AMOUNT',
      '  one    paid                  2026-03-01T12:00:00.000Z  4.00 EUR',
      '  two    paid, second payment  2026-03-01T12:00:00.000Z  4.00 EUR',
      '  three  open                  2026-03-01T12:00:00.000Z  4.00 EUR',
      '',
      'Refunds:',
      '  ID    AMOUNT    STATE    PURCHASE',
      '  re_1  1.00 EUR  pending  one',
      '',
      'Disputes:',
      '  ID    STATE  REPORTED                  PURCHASE',
      '  du_1  lost   2026-03-01T12:00:00.000Z  two',
      '',
      'Audit trail:',
      '  WHEN                      WHO       WHAT            OBJECT        SOURCE  ACTIVE AFTER',
      '  2026-03-01T12:00:00.000Z  webhook   paid            one           evt_1   yes',
      '  2026-03-01T12:00:00.000Z  webhook   paid            two           evt_1   yes',
      '  2026-03-01T12:00:00.000Z  webhook   refund pending  re_1          evt_2   yes',
      '  2026-03-01T12:00:00.000Z  webhook   dispute lost    du_1          -       no',
      '  2026-03-01T12:01:00.000Z  operator  granted         grant_000001  -       yes',
      '',
      'Mails and wrong codes of the last 24 hours: none',
    ])
  })

  test('says why there is no premium any more', async () => {
    const ports = await openAnna()
    ports.clock.advance(MINUTE_MS)
    await revokePremium(ports, ANNA)
    const rest: Refund = { ...REFUND, id: 're_2', amount: 300, state: 'succeeded' }
    await ports.refunds.update([rest], WEBHOOK, () => rest)

    const { exitCode, lines } = await run(ports)
    expect(exitCode).toBe(0)
    expect(lines[0]).toBe('anna@example.com does not have premium.')
    const revoked = 'not active: revoked 2026-03-01T12:02:00.000Z'
    expect(lines).toEqual(
      expect.arrayContaining([
        `  grant_000001  by hand      ${revoked}`,
        `  one           by purchase  ${revoked}, refunded in full`,
        `  two           by purchase  ${revoked}, chargeback du_1 lost`,
        '  re_2  3.00 EUR  succeeded  one',
      ]),
    )
    expect(lines.filter((line) => line.includes('  revoked  '))).toHaveLength(3)
  })

  test('says of a stranger that there is nothing, and exits 0', async () => {
    expect(await run(await openAnna(), { email: BERT })).toEqual({
      exitCode: 0,
      lines: [
        'bert@example.com does not have premium.',
        '',
        'Grants: none',
        '',
        'Purchases: none',
        '',
        'Refunds: none',
        '',
        'Disputes: none',
        '',
        'Audit trail: none',
        '',
        'Mails and wrong codes of the last 24 hours: none',
      ],
    })
  })

  test('says how many mails and wrong codes count, and from which networks they came', async () => {
    const { lines } = await run(await openAttacked())
    expect(lines.slice(lines.findIndex((line) => line.startsWith('Mails')))).toEqual([
      'Mails and wrong codes of the last 24 hours:',
      '  BY                      MAILS    WRONG CODES',
      '  strangers, networks: 2  5 of 20  4 of 40',
      '  holders of a token      1 of 20  1 of 40',
      '  the whole mailbox       5 of 20  -',
      '  network 10.0.1.0/24     4 of 10  4 of 20',
      '  network 10.0.2.0/24     1 of 10  0 of 20',
    ])
  })
})

describe('in JSON', () => {
  test('everything is there under names that stay, with dates as ISO strings', async () => {
    const { exitCode, lines } = await run(await openAnna(), { json: true })
    expect(exitCode).toBe(0)
    expect(lines).toHaveLength(1)
    const account = JSON.parse(lines[0]!)
    const bought = {
      id: 'one',
      email: ANNA,
      language: 'sv',
      price: { amount: 400, currency: 'eur' },
      leastAmount: null,
      live: false,
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-01T12:33:00.000Z',
      sessionId: 'cs_one',
      paymentIntentId: 'pi_one',
      state: 'paid',
      paidAt: '2026-03-01T12:01:00.000Z',
      amountPaid: 400,
      isDuplicate: false,
      revokedAt: null,
    }
    expect(account).toEqual({
      email: ANNA,
      hasPremium: true,
      purchases: [bought, expect.objectContaining({ id: 'two' }), expect.anything()],
      grants: [
        { id: 'grant_000001', email: ANNA, payment: null, revokedAt: null, isActive: true },
        {
          id: 'one',
          email: ANNA,
          payment: { amountPaid: 400, refunds: [REFUND], disputes: [] },
          revokedAt: null,
          isActive: true,
        },
        expect.objectContaining({
          id: 'two',
          isActive: false,
          payment: {
            amountPaid: 400,
            refunds: [],
            disputes: [{ ...DISPUTE, reportedAt: '2026-03-01T12:00:00.000Z' }],
          },
        }),
      ],
      refunds: [REFUND],
      disputes: [{ ...DISPUTE, reportedAt: '2026-03-01T12:00:00.000Z' }],
      audit: expect.arrayContaining([
        {
          at: '2026-03-01T12:00:00.000Z',
          by: 'webhook',
          source: 'evt_1',
          grantId: 'one',
          email: ANNA,
          reason: 'paid',
          objectId: 'one',
          isActive: true,
        },
      ]),
      codes: NO_CODES,
    })
    expect(account.audit).toHaveLength(5)
  })

  test('a stranger is an empty account', async () => {
    const { lines } = await run(fakePorts(), { email: BERT, json: true })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        email: BERT,
        hasPremium: false,
        purchases: [],
        grants: [],
        refunds: [],
        disputes: [],
        audit: [],
        codes: NO_CODES,
      },
    ])
  })

  test('the mails and wrong codes of the last 24 hours are there', async () => {
    const { lines } = await run(await openAttacked(), { json: true })
    expect(JSON.parse(lines[0]!).codes).toEqual({
      strangers: { mails: 5, wrongTries: 4 },
      holders: { mails: 1, wrongTries: 1 },
      mailboxMails: 5,
      networks: 2,
      topNetworks: [
        { network: '10.0.1.0/24', mails: 4, wrongTries: 4 },
        { network: '10.0.2.0/24', mails: 1, wrongTries: 0 },
      ],
    })
  })
})
