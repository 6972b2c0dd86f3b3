import { describe, expect, test } from 'bun:test'
import { confirmEmail } from '../../../application/access/confirm-email.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { sendCode } from '../../../application/access/send-code.ts'
import { eraseEmail } from '../../../application/customers/erase-email.ts'
import { logInVerified } from '../../../application/payments/log-in-verified.ts'
import { settlePayment } from '../../../application/payments/settle-payment.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import type { CodeChallenge } from '../../../domain/code-challenge.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { isLoggedOut } from '../../../domain/log-out.ts'
import type { SessionOutcome } from '../../../domain/session-report.ts'
import { openBuyer as openPage } from '../../support/buyers.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../../support/proof-key.ts'
import { STRANGER } from '../../support/senders.ts'
import { findLogOut } from '../../support/stores/log-outs.ts'

const email = parseEmail('ada@example.com')
const NOT_VERIFIED = new DomainError('email_not_verified_to_log_in')

type Ports = ReturnType<typeof fakePorts>

async function prove(ports: Ports, codeChallenge: CodeChallenge | null): Promise<void> {
  const code = await sendCode(ports, { email, language: 'en', sender: STRANGER })
  await confirmEmail(ports, { email, code, codeChallenge, sender: STRANGER })
}

/** An address that a browser has proved, and that has paid since. */
async function openBuyer(): Promise<Ports> {
  const ports = fakePorts()
  await prove(ports, CHALLENGE)
  await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
  return ports
}

const logIn = (ports: Ports, codeVerifier = VERIFIER) =>
  logInVerified(ports, { email, codeVerifier })

describe('logInVerified', () => {
  test('gives a token to the browser that proved the address, without another code', async () => {
    const ports = await openBuyer()
    ports.clock.advance(MINUTE_MS)
    const token = await logIn(ports)
    const issuedAt = new Date(NOON.getTime() + MINUTE_MS)
    expect(await ports.tokens.verify(token)).toMatchObject({ email, issuedAt })
    expect(ports.mailer.mails).toHaveLength(1)
  })

  test('does so again and again, until the verification ends', async () => {
    const ports = await openBuyer()
    await logIn(ports)
    ports.clock.advance(30 * MINUTE_MS - 1)
    expect(await logIn(ports)).toContain(email)
    ports.clock.advance(1)
    await expect(logIn(ports)).rejects.toEqual(NOT_VERIFIED)
  })

  test('leaves codes, tries and the verification as they are, be the verifier right or wrong', async () => {
    const ports = await openBuyer()
    await sendCode(ports, { email, language: 'en', sender: STRANGER })
    const read = async () => ({
      otps: await ports.otps.update({ email, sender: 'stranger' }, (record) => ({ record })),
      verification: await ports.verifications.findByEmail(email),
    })
    const before = await read()

    await logIn(ports)
    await logIn(ports, OTHER_VERIFIER).catch(() => {})

    expect(await read()).toEqual(before)
  })

  test('refuses another verifier, and one for another address', async () => {
    const ports = await openBuyer()
    await expect(logIn(ports, OTHER_VERIFIER)).rejects.toEqual(NOT_VERIFIED)
    const bob = parseEmail('bob@example.com')
    await ports.premiumGrants.add({ id: 'grant_2', email: bob }, ORIGIN)
    await expect(logInVerified(ports, { email: bob, codeVerifier: VERIFIER })).rejects.toEqual(
      NOT_VERIFIED,
    )
  })

  test('refuses where the latest confirmation came without a challenge', async () => {
    const ports = await openBuyer()
    await prove(ports, null)
    await expect(logIn(ports)).rejects.toEqual(NOT_VERIFIED)
  })

  test('judges the verification before premium', async () => {
    const ports = fakePorts()
    await prove(ports, CHALLENGE)
    await expect(logIn(ports, OTHER_VERIFIER)).rejects.toEqual(NOT_VERIFIED)
    await expect(logIn(ports)).rejects.toEqual(new DomainError('premium_required_to_log_in'))
  })

  test('lets in the moment that there is premium, and not once it is revoked', async () => {
    const ports = await openBuyer()
    expect(await logIn(ports)).toContain(email)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    await expect(logIn(ports)).rejects.toEqual(new DomainError('premium_required_to_log_in'))
  })

  test('refuses a browser that proved the address before a log-out everywhere, until it proves it again', async () => {
    const ports = await openBuyer()
    ports.clock.advance(MINUTE_MS)
    await logOut(ports, email)
    await expect(logIn(ports)).rejects.toEqual(NOT_VERIFIED)

    ports.clock.advance(1)
    await prove(ports, CHALLENGE)
    const claims = await ports.tokens.verify(await logIn(ports))
    expect(isLoggedOut(claims!.epoch, await findLogOut(ports.access, email))).toBe(false)
  })

  test.each(['verifications', 'access'] as const)(
    'leaves no token alive by a log-out right before or after the %s are read, though time goes on',
    async (repository) => {
      for (const order of ['before', 'after'] as const) {
        const ports = await openBuyer()
        ports.clock.advance(MINUTE_MS)
        const inParallel = async () => {
          ports.clock.advance(1)
          await logOut(ports, email)
          ports.clock.advance(1)
        }
        const { findByEmail } = ports[repository]
        const torn = {
          async findByEmail(...asked: Parameters<Ports['access']['findByEmail']>) {
            if (order === 'before') await inParallel()
            const found = await findByEmail(...asked)
            if (order === 'after') await inParallel()
            return found
          },
        }

        const token = await logIn({
          ...ports,
          [repository]: { ...ports[repository], ...torn },
        }).catch((error) => expect(error).toEqual(NOT_VERIFIED))

        if (token === undefined) continue
        const claims = await ports.tokens.verify(token)
        expect(isLoggedOut(claims!.epoch, await findLogOut(ports.access, email))).toBe(true)
      }
    },
  )

  test.each(['verifications', 'access'] as const)(
    'passes an outage of the %s through, after which the same verifier counts',
    async (repository) => {
      const ports = await openBuyer()
      const outage = new Unavailable('storage', { cause: new Error('locked') })
      const broken = { ...ports[repository], findByEmail: () => Promise.reject(outage) }
      await expect(logIn({ ...ports, [repository]: broken })).rejects.toBe(outage)
      expect(await logIn(ports)).toContain(email)
    },
  )
})

describe('before there is premium', () => {
  /** An address that a browser has proved, with a payment that the provider and the database see so. */
  async function openPayer(outcome: SessionOutcome) {
    const buyer = await openPage({ email })
    await prove(buyer.ports, CHALLENGE)
    buyer.move('processing')
    await settlePayment(buyer.ports, buyer.notification(), 'webhook')
    buyer.move(outcome)
    return buyer
  }

  test('says that a payment is under way, and looks at the provider each time', async () => {
    const { ports, move } = await openPayer('processing')
    await expect(logIn(ports)).rejects.toEqual(new DomainError('payment_processing'))
    move('paid')
    expect(await logIn(ports)).toContain(email)
  })

  test.each<SessionOutcome>(['unpaid', 'failed'])(
    'has nothing under way where the payment is %s',
    async (outcome) => {
      const { ports } = await openPayer(outcome)
      await expect(logIn(ports)).rejects.toEqual(new DomainError('premium_required_to_log_in'))
    },
  )

  test('takes for true what is stored while the provider is out of reach, or does not know the session', async () => {
    const { ports } = await openPayer('processing')
    ports.payments.outage = true
    await expect(logIn(ports)).rejects.toEqual(new DomainError('payment_processing'))
    ports.payments.outage = false
    ports.payments.sessions.clear()
    await expect(logIn(ports)).rejects.toEqual(new DomainError('payment_processing'))
  })

  test('says so of money that waits for an operator', async () => {
    const buyer = await openPage({ email })
    const { ports, sessionId, notification } = buyer
    await prove(ports, CHALLENGE)
    const paid = buyer.move('paid')
    ports.payments.sessions.set(sessionId, { ...paid, amountTotal: 1 })
    await settlePayment(ports, notification(), 'webhook')
    await expect(logIn(ports)).rejects.toEqual(new DomainError('payment_processing'))
  })
})

test('gives a token that outlives the latest log-out, also where the clock was set back since', async () => {
  const ports = fakePorts()
  await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
  await logOut(ports, email)
  ports.clock.advance(MINUTE_MS / 2)
  const code = await sendCode(ports, { email, language: 'en', sender: STRANGER })
  await confirmEmail(ports, { email, code, codeChallenge: CHALLENGE, sender: STRANGER })
  ports.clock.advance(-MINUTE_MS)
  const token = await logInVerified(ports, { email, codeVerifier: VERIFIER })
  const claims = await ports.tokens.verify(token)
  expect(isLoggedOut(claims!.epoch, await findLogOut(ports.access, email))).toBe(false)
})

test('gives no token where the address is erased in that very moment', async () => {
  const ports = await openBuyer()
  const { findByEmail } = ports.verifications
  ports.verifications.findByEmail = async (address) => {
    const verification = await findByEmail(address)
    expect(await eraseEmail(ports, address)).toMatchObject({ outcome: 'erased' })
    await ports.premiumGrants.add({ id: 'grant_2', email }, ORIGIN)
    return verification
  }
  await expect(logIn(ports)).rejects.toEqual(NOT_VERIFIED)
})
