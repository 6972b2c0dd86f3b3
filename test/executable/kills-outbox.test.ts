import { expect, test } from 'bun:test'
import { after, killInLanes, type Lane, some, spread } from '../support/executable/kill-lane.ts'
import { change, stored } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'

const REFUND = 'POST /v1/refunds'

/** Reaches the moment of the kill, after which `release` lets the provider go on. */
type Kill = {
  readonly moment: string
  readonly message: 'payment_confirmed' | 'duplicate_refund'
  /** Called before there is anything to carry out; what it resolves with is called after the kill. */
  reach(lane: Lane, begin: () => Promise<string>): Promise<() => void>
}

const NOTHING = () => {}

function mailKill(moment: string, fault: 'hang' | 'taken_hang'): Kill {
  return {
    moment,
    message: 'payment_confirmed',
    async reach({ production: { mailbox } }, begin) {
      mailbox.fault(fault)
      const key = await begin()
      await until('the mail is there', () => mailbox.mails.some((mail) => mail.key === key))
      return NOTHING
    },
  }
}

function mailAnswered(milliseconds: number): Kill {
  return {
    moment: 'mail: after its answer',
    message: 'payment_confirmed',
    async reach({ production: { mailbox } }, begin) {
      const key = await begin()
      await until('the mail is sent', () => mailbox.delivered.some((mail) => mail.key === key))
      await after(milliseconds)
      return NOTHING
    },
  }
}

/** Stripe has the request, and acts on it when nobody waits for its answer any more. */
const refundHeld: Kill = {
  moment: 'refund: before Stripe acts',
  message: 'duplicate_refund',
  async reach({ production: { double, asked } }, begin) {
    const before = double.count(REFUND)
    const release = double.hold(REFUND)
    await begin()
    await asked(REFUND, before + 1)
    return release
  },
}

const refundHangs: Kill = {
  moment: 'refund: before Stripe’s answer',
  message: 'duplicate_refund',
  async reach({ production: { double } }, begin) {
    const before = double.refunds.size
    double.fault('hang', { on: REFUND })
    await begin()
    await until('Stripe has sent the money back', () => double.refunds.size > before)
    return NOTHING
  },
}

function refundAnswered(milliseconds: number): Kill {
  return {
    moment: 'refund: after its answer',
    message: 'duplicate_refund',
    async reach({ production: { double } }, begin) {
      const before = double.refunds.size
      await begin()
      await until('Stripe has sent the money back', () => double.refunds.size > before)
      await after(milliseconds)
      return NOTHING
    },
  }
}

/** Pays, and resolves with the key of the confirmation that follows. */
async function buy({ production: { double }, buyerOf }: Lane, email: string): Promise<string> {
  const { sessionId } = await buyerOf(email).checkOut()
  expect(await double.deliver(double.pay(sessionId).at(-1)!)).toBe(200)
  return `payment_confirmed:${double.sessions.get(sessionId)?.client_reference_id}`
}

/** Pays on two pages, which takes that the row of the first is lost: a backup from before it was put back. */
async function buyTwice(lane: Lane, email: string): Promise<string> {
  const { double } = lane.production
  const { sessionId } = await lane.buyerOf(email).checkOut()
  change(lane.production, 'DELETE FROM purchases WHERE email = ?', email)
  const first = double.pay(sessionId).at(-1)!
  await buy(lane, email)
  expect(await double.deliver(first)).toBe(200)
  return `duplicate_refund:${double.sessions.get(sessionId)?.client_reference_id}`
}

test('killed anywhere in its outbox it mails once and sends back once', async () => {
  const times = (count: number, kill: Kill) => some(count, () => kill)
  const kills: readonly Kill[] = [
    ...times(9, mailKill('mail: before the provider acts', 'hang')),
    ...times(9, mailKill('mail: before its answer', 'taken_hang')),
    ...spread(12, 3).map(mailAnswered),
    ...times(6, refundHeld),
    ...times(6, refundHangs),
    ...spread(8, 6).map(refundAnswered),
  ]
  await killInLanes('outbox', kills, {
    lanes: 4,
    async carryOut(lane, { moment, message, reach }, email) {
      lane.count(moment)
      const begin = () =>
        message === 'payment_confirmed' ? buy(lane, email) : buyTwice(lane, email)
      const release = await reach(lane, begin)
      await lane.kill(({ read }) => {
        const rows = read('SELECT state FROM outbox WHERE email = ? AND kind = ?', email, message)
        expect(rows.length).toBe(1)
        return `leaving it ${rows[0]?.['state']}`
      })
      release()
      await lane.start()
      expect(await lane.buyerOf(email).hasPremium()).toBe(true)
      expect(stored(lane.production, 'SELECT 1 FROM outbox WHERE email = ?', email)).not.toEqual([])
      lane.premium.set(email, true)
    },
  })
})
