import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkEnds } from '../support/executable/ends.ts'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
} from '../support/executable/production.ts'
import {
  carriedOut,
  change,
  letSweepTimePass,
  stored,
  swept,
} from '../support/executable/stored.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { SERVER_ERROR } from '../support/stripe-double/faults.ts'

type Double = Production['double']

/** What happens after the backup to somebody who pays then, and whether that leaves premium. */
type Story = {
  readonly hasPremium: boolean
  /** By a debit that takes days. */
  readonly debit?: 'arrives' | 'is under way'
  act?(double: Double, sessionId: string): void
}

const STORIES: readonly (Story & { readonly buyers: number })[] = [
  { buyers: 8, hasPremium: true },
  { buyers: 2, hasPremium: true, debit: 'arrives' },
  { buyers: 3, hasPremium: false, act: (double, id) => void double.refund(id) },
  { buyers: 2, hasPremium: true, act: (double, id) => void double.refund(id, { amount: 150 }) },
  {
    buyers: 1,
    hasPremium: true,
    act(double, id) {
      double.refund(id, { pending: true })
      double.failRefund([...double.refunds.keys()].at(-1)!)
    },
  },
  { buyers: 2, hasPremium: false, act: (double, id) => void double.dispute(id, 'chargeback') },
  { buyers: 1, hasPremium: true, act: (double, id) => void double.dispute(id, 'inquiry') },
  {
    buyers: 1,
    hasPremium: true,
    act(double, id) {
      double.dispute(id, 'chargeback')
      double.closeDispute([...double.disputes.keys()].at(-1)!, 'won')
    },
  },
]

type Sale = { readonly email: string; readonly story: Story }

const SALES: readonly Sale[] = STORIES.flatMap((story, kind) =>
  Array.from({ length: story.buyers }, (_, number) => ({
    story,
    email: `${kind}-${number}@example.com`,
  })),
)

async function openPage(production: Production, alibi: AlibiProcess, email: string) {
  const { prove, checkOut } = buyer(alibi, production, email)
  await prove()
  return (await checkOut()).sessionId
}

async function pay(production: Production, sessionId: string, { debit, act }: Story) {
  const { double } = production
  if (debit) {
    double.payLate(sessionId)
    await deliverAll(production)
    if (debit === 'is under way') return
    double.lateSucceed(sessionId)
  } else {
    double.pay(sessionId)
  }
  await deliverAll(production)
  if (!act) return
  act(double, sessionId)
  await deliverAll(production)
}

/** Nothing is paid yet, and nobody may pay once more. */
const UNDER_WAY: Sale = {
  email: 'under-way@example.com',
  story: { hasPremium: false, debit: 'is under way' },
}
const ALREADY_PAID: Sale = { email: 'before-1@example.com', story: { hasPremium: true } }
const REFUNDED_LATER: Sale = { email: 'before-2@example.com', story: { hasPremium: false } }
const PAGE_OPEN: Sale = { email: 'before-3@example.com', story: { hasPremium: true } }

/** A day's sales, of which the backup knows nothing but what had happened before. */
async function sellAroundBackup(production: Production, alibi: AlibiProcess): Promise<string> {
  const { double } = production
  const sessions = []
  for (const { email } of [ALREADY_PAID, REFUNDED_LATER, PAGE_OPEN]) {
    sessions.push(await openPage(production, alibi, email))
  }
  const [paid = '', refunded = '', open = ''] = sessions
  for (const id of [paid, refunded]) await pay(production, id, { hasPremium: true })
  await carriedOut(production)

  const backup = join(production.folder, 'backup.db')
  change(production, 'VACUUM INTO ?', backup)

  await pay(production, open, PAGE_OPEN.story)
  double.refund(refunded)
  await deliverAll(production)
  for (const { email, story } of [...SALES, UNDER_WAY]) {
    await pay(production, await openPage(production, alibi, email), story)
  }
  await carriedOut(production)
  return backup
}

/** Takes the place of whatever lies there. */
function putBack({ databasePath, state }: Production, backup: string): void {
  for (const name of readdirSync(state)) rmSync(join(state, name))
  copyFileSync(backup, databasePath)
}

const EVERYBODY = [ALREADY_PAID, REFUNDED_LATER, PAGE_OPEN, UNDER_WAY, ...SALES]
const PREMIUM = new Map(EVERYBODY.map(({ email, story }) => [email, story.hasPremium]))
const PAYING = [...PREMIUM].filter(([, hasPremium]) => hasPremium).map(([email]) => email)

/** Who repairs what the backup lacks: the service at its start, or the operator before that. */
const REPAIRS: readonly [string, (production: Production) => Promise<AlibiProcess>][] = [
  [
    'the start run, a day after the backup',
    async (production) => {
      letSweepTimePass(production)
      const alibi = await production.start()
      await swept(production)
      return alibi
    },
  ],
  [
    'the start run, moments after the backup',
    async (production) => {
      const start = Date.now()
      const alibi = await production.start()
      await swept(production, start)
      return alibi
    },
  ],
  [
    'alibi reconcile, moments after the backup',
    async (production) => {
      const outcome = await production.run(['reconcile'])
      expect(outcome).toMatchObject({ exitCode: 0 })
      return production.start()
    },
  ],
]

test.concurrent.each(REPAIRS)(
  'a backup from before the purchases: %s gives everybody what they have paid for',
  async (by, repair) => {
    await using production = await openProduction()
    const { mailbox } = production
    const first = await production.start()
    const backup = await sellAroundBackup(production, first)
    const before = await checkEnds(production, first, PREMIUM)
    expect(before).toEqual({
      wrong: [],
      payments: EVERYBODY.length - 1,
      confirmed: EVERYBODY.length - 1,
      refunded: 0,
    })
    expect(await first.stop()).toBe(0)

    const mailed = mailbox.delivered.length
    putBack(production, backup)
    expect(stored(production, 'SELECT count(*) AS n FROM purchases')).toEqual([{ n: 3 }])
    const alibi = await repair(production)
    await carriedOut(production)

    const ends = await checkEnds(production, alibi, PREMIUM)
    // Confirmations of what is still paid are asked for again, under keys that the provider knows.
    expect(mailbox.delivered.length).toBe(mailed)
    const keys = mailbox.mails.flatMap(({ key }) => key ?? [])
    const repeated = keys.length - new Set(keys).size
    expect(repeated).toBeGreaterThanOrEqual(SALES.filter(({ story }) => story.hasPremium).length)
    await expectNobodyPaysTwice(production, alibi)
    console.log(
      `backup from before the purchases, ${by}: ${SALES.length + 1} payments and ${countReversals(production)} ` +
        `refunds and disputes that it lacks, ${PAYING.length} of ${EVERYBODY.length} buyers keep premium, ` +
        `${repeated} confirmations asked for again and none sent, ${ends.wrong.length} wrong ends`,
    )
    expect(ends).toEqual(before)
  },
)

function countReversals({ double }: Production): number {
  return double.refunds.size + double.disputes.size
}

async function expectNobodyPaysTwice(production: Production, alibi: AlibiProcess): Promise<void> {
  const { double } = production
  const sessions = double.sessions.size
  for (const email of PAYING) {
    const { http, prove } = buyer(alibi, production, email)
    expect(await prove()).toHaveProperty('token')
    expect(await http.post('/checkout', { email })).toMatchObject({
      status: 409,
      body: { error: 'Premium access already active' },
    })
  }
  const { http, prove } = buyer(alibi, production, UNDER_WAY.email)
  await prove()
  expect(await http.post('/checkout', { email: UNDER_WAY.email })).toMatchObject({
    status: 409,
    body: { error: 'Payment processing' },
  })
  expect(double.sessions.size).toBe(sessions)
}

test.concurrent('who pays again before the lost payment is found gets the second one back', async () => {
  await using production = await openProduction()
  const email = 'twice@example.com'
  const first = await production.start()
  await swept(production)
  const { double } = production
  const { prove, checkOut } = buyer(first, production, email)
  await prove()
  const backup = join(production.folder, 'backup.db')
  change(production, 'VACUUM INTO ?', backup)
  double.pay((await checkOut()).sessionId)
  await deliverAll(production)
  await first.stop()
  putBack(production, backup)

  // The start run finds nothing while Stripe does not list what it has.
  double.fault(SERVER_ERROR, { on: 'GET /v1/checkout/sessions', times: Infinity })
  double.fault(SERVER_ERROR, { on: 'GET /v1/events', times: Infinity })
  const second = await production.start()
  double.pay((await buyer(second, production, email).checkOut()).sessionId)
  await deliverAll(production)
  await second.stop()
  double.clearFaults()
  letSweepTimePass(production)
  const alibi = await production.start()
  await swept(production)
  await carriedOut(production)

  const ends = await checkEnds(production, alibi, new Map([[email, true]]))
  expect(ends).toEqual({ wrong: [], payments: 2, confirmed: 1, refunded: 1 })
})
