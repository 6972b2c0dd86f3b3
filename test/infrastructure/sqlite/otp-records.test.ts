import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { confirmEmail } from '../../../application/access/confirm-email.ts'
import { logIn } from '../../../application/access/log-in.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import type { ClientNetwork } from '../../../domain/client-network.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import {
  EMPTY_OTP_RECORD,
  type OtpCode,
  type OtpRecord,
  type OtpSeed,
} from '../../../domain/otp.ts'
import type { Sender } from '../../../domain/sender.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { fakePorts, fixedClock, NOON, ORIGIN } from '../../support/fakes.ts'
import { ANNA } from '../../support/stores/contract-purchases.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { IS_WHOLE } from '../../support/thoroughness.ts'

const OWNER = { email: ANNA, sender: 'stranger' } as const
const STRANGER: Sender = { kind: 'stranger', network: '192.0.2.0/24' as ClientNetwork }

const mailAt = (minute: number) => ({
  at: new Date(NOON.getTime() + minute * MINUTE_MS),
  network: null,
  mailbox: null,
})
const otpOf = (seed: string) => ({
  seed: seed as OtpSeed,
  issuedAt: NOON,
  expiresAt: NOON,
  attemptsLeft: 5,
})

/** A record, and what is done to its rows: each change as `action table`. */
function openRecord() {
  const database = openTemporaryDatabase()
  const { otps } = sqliteStore(database)
  const client = database.queries.$client
  client.run('CREATE TEMP TABLE changes (change TEXT)')
  for (const table of ['otps', 'otp_mails', 'otp_wrong_tries']) {
    for (const action of ['INSERT', 'UPDATE', 'DELETE']) {
      client.run(
        `CREATE TEMP TRIGGER ${action}_${table} AFTER ${action} ON ${table}
         BEGIN INSERT INTO changes VALUES ('${action} ${table}'); END`,
      )
    }
  }
  return {
    change: (change: (record: OtpRecord) => OtpRecord) =>
      otps.update(OWNER, (record) => ({ record: change(record) })),
    async read(): Promise<OtpRecord> {
      return (await otps.update(OWNER, (record) => ({ record }))).record
    },
    /** Since it was asked for last. */
    changes: () => client.query('DELETE FROM changes RETURNING change').values().flat(),
  }
}

describe('a record of codes in SQLite', () => {
  test('gets a row for a mail or a wrong try, and the rows of the others are left alone', async () => {
    const { change, changes } = openRecord()
    await change(() => ({ ...EMPTY_OTP_RECORD, current: otpOf('one'), mails: [mailAt(1)] }))
    changes()

    await change((record) => ({ ...record, mails: [...record.mails, mailAt(2)] }))
    expect(changes()).toEqual(['INSERT otp_mails'])

    await change((record) => ({
      ...record,
      current: { ...otpOf('one'), attemptsLeft: 4 },
      wrongTries: [{ at: NOON, network: null }],
    }))
    expect(changes()).toEqual(['UPDATE otps', 'INSERT otp_wrong_tries'])

    await change((record) => ({ ...record, mails: [...record.mails.slice(1), mailAt(3)] }))
    expect(changes()).toEqual(['DELETE otp_mails', 'INSERT otp_mails'])

    await change((record) => ({ ...record, current: null }))
    expect(changes()).toEqual(['DELETE otps'])
  })

  test('reads back as it was stored, whatever was kept, left out, put between or moved', async () => {
    const { change, read } = openRecord()
    const step = fc.array(fc.oneof(fc.nat({ max: 6 }), fc.constant('new')), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        await change(() => EMPTY_OTP_RECORD)
        let minute = 0
        for (const items of steps) {
          const { record } = await change((known) => ({
            ...known,
            mails: items.map((item) => known.mails[Number(item)] ?? mailAt(minute++)),
            wrongTries: items.map((item) => known.wrongTries[Number(item)] ?? mailAt(minute++)),
          }))
          const tries = record.wrongTries.map(({ at, network }) => ({ at, network }))
          expect(await read()).toEqual({ ...record, wrongTries: tries })
        }
      }),
      { numRuns: IS_WHOLE ? 300 : 20 },
    )
  })
})

describe('what takes one commit', () => {
  /** How many transactions the work takes on a database in which the address has premium. */
  async function openAnna() {
    const database = openTemporaryDatabase()
    const clock = fixedClock()
    const ports = { ...fakePorts({ clock }), ...sqliteStore(database) }
    await ports.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)
    const send = () => sendCode(ports, { email: ANNA, language: 'en', sender: STRANGER })
    return {
      ports,
      clock,
      send,
      async transactionsOf(work: () => Promise<unknown>): Promise<number> {
        const before = database.commits()
        await work()
        return (database.commits() - before) / 2
      },
    }
  }

  test('a mail with a code, before it is sent, new or sent again', async () => {
    const { send, transactionsOf } = await openAnna()

    expect(await transactionsOf(send)).toBe(1)
    expect(await transactionsOf(send)).toBe(1)
  })

  test('and another one afterwards where the code takes the place of one that still works', async () => {
    const { send, clock, ports, transactionsOf } = await openAnna()
    const first = await send()
    clock.advance(6 * MINUTE_MS)

    expect(await transactionsOf(send)).toBe(2)
    const second = await send()
    expect(second).not.toBe(first)
    await logIn(ports, { email: ANNA, code: second, sender: STRANGER })
  })

  test.each([logIn, confirmEmail])('a code that is spent', async (spend) => {
    const { ports, send, transactionsOf } = await openAnna()
    const code: OtpCode = await send()

    const spent = () => spend(ports, { email: ANNA, code, sender: STRANGER })
    expect(await transactionsOf(spent)).toBe(1)
  })
})
