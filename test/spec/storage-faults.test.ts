import { afterAll, describe, expect, test } from 'bun:test'
import { hasPremium } from '../../domain/premium-grant.ts'
import { type Answered, answers } from '../support/http/http-client.ts'
import { type Customer, customerSetup, type Process } from '../support/service/real-customer.ts'
import {
  type BreakDatabase,
  DATABASE_FAULTS,
  fillDatabase,
} from '../support/stores/database-faults.ts'
import type { StripeEvent } from '../support/stripe/stripe-events.ts'

/** Long enough for one more try. */
const BUSY_TIMEOUT_MS = 30
const RECEIVED = { status: 200, body: { received: true } }
const COME_AGAIN = answers(503, 'Temporarily unavailable')
const OUTAGE = { name: 'Unavailable', outage: 'storage' }

const openShop = customerSetup()

/** What is tried while the database fails, and again once it does not. */
type Attempt = {
  attempt(process: Process): Promise<unknown>
  readonly failure: object
  readonly success: object
  readonly premium: boolean
}

type Task = readonly [string, (customer: Customer) => Promise<Attempt>]

/** What changes a grant, and so writes more than one row. */
const GRANT_CHANGES: readonly Task[] = [
  [
    'a webhook that tells of a payment',
    async (customer) => {
      const paid = customer.double.pay(await customer.openPage()).at(-1)!
      return delivery(customer, paid, true)
    },
  ],
  [
    'a webhook that tells of a refund',
    async (customer) => delivery(customer, customer.double.refund(await customer.pay())[0]!, false),
  ],
  [
    'a webhook that hints at a refund',
    async (customer) =>
      delivery(customer, customer.double.refund(await customer.pay()).at(-1)!, false),
  ],
  [
    'a webhook that tells of a chargeback',
    async (customer) => {
      const [created] = customer.double.dispute(await customer.pay(), 'chargeback')
      return delivery(customer, created!, false)
    },
  ],
  [
    'the success page',
    async ({ double, openPage }) => {
      const sessionId = await openPage()
      double.pay(sessionId)
      return {
        attempt: (process) => process.get(`/payment/success?session_id=${sessionId}`),
        failure: { status: 503, text: expect.stringContaining('data-state="unavailable"') },
        success: { status: 200, text: expect.stringContaining('data-state="active"') },
        premium: true,
      }
    },
  ],
  [
    'a checkout that finds out about a payment',
    async ({ double, openPage, email }) => {
      double.pay(await openPage())
      return {
        attempt: (process) => process.post('/checkout', { email }),
        failure: COME_AGAIN,
        success: answers(409, 'Premium access already active'),
        premium: true,
      }
    },
  ],
  [
    'the reconciler',
    async (customer) => {
      customer.double.pay(await customer.openPage())
      return {
        attempt: (process) => isReconciled(customer, process),
        failure: { finished: false },
        success: { finished: true },
        premium: true,
      }
    },
  ],
]

const OTHERS: readonly Task[] = [
  [
    'a first checkout',
    async ({ verify, email }) => {
      await verify()
      return {
        attempt: (process) => process.post('/checkout', { email }),
        failure: COME_AGAIN,
        success: { status: 200, body: { success: true } },
        premium: false,
      }
    },
  ],
  [
    'the outbox with a mail in it',
    async (customer) => {
      await customer.pay()
      return outboxRound(customer)
    },
  ],
  [
    'the outbox with a second payment in it',
    async (customer) => {
      await customer.payTwice()
      return outboxRound(customer)
    },
  ],
]

function delivery({ service }: Customer, event: StripeEvent, premium: boolean): Attempt {
  return {
    attempt: (process) => service.deliver(event, '/webhook/stripe', process),
    failure: COME_AGAIN,
    success: RECEIVED,
    premium,
  }
}

function outboxRound({ service }: Customer): Attempt {
  return {
    attempt: (process) => service.deliverOutbox(process).then(succeeded, failed),
    failure: OUTAGE,
    success: { succeeded: true },
    premium: true,
  }
}

/** Where the database cannot even be read the run has nothing to begin with. */
async function isReconciled({ service }: Customer, process: Process) {
  try {
    const reports = await service.reconcile('due', process)
    return { finished: reports.every(({ finished }) => finished) }
  } catch (error) {
    expect(error).toMatchObject(OUTAGE)
    return { finished: false }
  }
}

const succeeded = () => ({ succeeded: true })
const failed = (error: unknown) => error

/** All that has happened outside. */
function outsideOf({ pages, double, service }: Customer) {
  return { pages: pages(), refunds: double.refunds.size, mails: service.sentNotices.length }
}

let combinations = 0
afterAll(() => console.log(`storage faults: ${combinations} combinations, nothing half done`))

const openCustomer = async () => (await openShop({ busyTimeoutMs: BUSY_TIMEOUT_MS }))()

/** Tries it while the database fails, and again when it does not. */
async function expectNothingHalfDone(
  customer: Customer,
  { attempt, failure, success, premium }: Attempt,
  breakDatabase: BreakDatabase,
  cause: string,
): Promise<void> {
  const { service, email } = customer
  const mend = customer.fails(breakDatabase)
  const before = await service.contents()
  const outside = outsideOf(customer)

  const refused = await attempt(service)

  expect(refused).toMatchObject(failure)
  expect(await service.contents()).toEqual(before)
  expect(outsideOf(customer)).toEqual(outside)
  // A background task logs why a whole round failed.
  if ('status' in failure) {
    expect(Number((refused as Answered).header('retry-after'))).toBeGreaterThan(0)
    expect(customer.outages('storage')).toMatchObject([
      { level: 'warn', fields: { error: expect.stringContaining(cause) } },
    ])
  }

  const process = mend()
  expect(await attempt(process)).toMatchObject(success)
  const after = await service.contents()
  expect(after).not.toEqual(before)
  const { grants } = await process.ports.purchases.findAccount(email)
  expect(hasPremium(grants)).toBe(premium)
  expect(await attempt(process)).toMatchObject(success)
  expect(await service.contents()).toEqual(after)
  combinations++
}

describe.each(DATABASE_FAULTS)('while the database %s', (_, breakDatabase, cause) => {
  test.each([...GRANT_CHANGES, ...OTHERS])(
    '%s comes to nothing, and succeeds once that is over',
    async (_name, prepare) => {
      const customer = await openCustomer()
      await expectNothingHalfDone(customer, await prepare(customer), breakDatabase, cause)
    },
  )
})

describe('while the database becomes full half way through a change', () => {
  test.each(GRANT_CHANGES)(
    '%s comes to nothing, and succeeds once that is over',
    async (_name, prepare) => {
      const customer = await openCustomer()
      const full = fillDatabase(['audit_entries'])
      await expectNothingHalfDone(customer, await prepare(customer), full, 'SQLITE_FULL')
    },
  )
})
