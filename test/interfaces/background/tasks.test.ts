import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { SWEEP_NAMES } from '../../../application/store.ts'
import type { TaskName } from '../../../application/telemetry.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { ALWAYS_LEADING, termUntil } from '../../../application/upkeep/leadership.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../domain/duration.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import {
  type Task,
  type Tasks,
  workInBackground,
} from '../../../interfaces/background/background.ts'
import { serviceTasks } from '../../../interfaces/background/tasks.ts'
import { openBuyer } from '../../support/buyers.ts'

/** What the other tasks of the service need. */
const OTHERS = {
  backups: null,
  replicas: null,
  isReady: async () => true,
  loadRoutes: async () => {},
  wait: async () => {},
}

/** Waits that end when the test says that so much time has passed. */
function steppedWaits() {
  const sleeping = new Set<{ leftMs: number; wake: () => void }>()
  return {
    /** How long each task waits. */
    asked: () => [...sleeping].map(({ leftMs }) => leftMs).toSorted((a, b) => a - b),
    wait(milliseconds: number, until: AbortSignal): Promise<void> {
      if (until.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const sleeper = {
          leftMs: milliseconds,
          wake() {
            sleeping.delete(sleeper)
            resolve()
          },
        }
        sleeping.add(sleeper)
        until.addEventListener('abort', sleeper.wake)
      })
    },
    /** Both tasks sleep again when this resolves. */
    async pass(milliseconds: number) {
      for (const sleeper of [...sleeping]) {
        sleeper.leftMs -= milliseconds
        if (sleeper.leftMs <= 0) sleeper.wake()
      }
      await untilBothSleep()
    },
    untilBothSleep,
  }

  async function untilBothSleep(count = 2) {
    while (sleeping.size < count) await Bun.sleep(0)
  }
}

const PAYMENT_TASKS: readonly TaskName[] = ['outbox', 'reconciler']

/** Those of these names alone. */
function named(names: readonly TaskName[], { ofEach, ofLeader }: Tasks): Tasks {
  const isNamed = ({ name }: Task) => names.includes(name)
  return { ofEach: ofEach.filter(isNamed), ofLeader: () => ofLeader().filter(isNamed) }
}

async function openService(names = PAYMENT_TASKS) {
  const buyer = await openBuyer()
  const { ports } = buyer
  const monotonicMs = () => ports.clock.now().getTime()
  const waits = steppedWaits()
  const stop = new AbortController()
  const tasks = named(names, serviceTasks({ ...OTHERS, ports, monotonicMs }))
  const { wait } = waits
  const { signal: stopping } = stop
  const leadership = ALWAYS_LEADING
  const start = () => workInBackground({ ports, tasks, leadership, monotonicMs, wait, stopping })
  async function pass(milliseconds: number) {
    buyer.ports.clock.advance(milliseconds)
    await waits.pass(milliseconds)
  }
  return { ...buyer, waits, stop, start, pass }
}

describe('the service by itself', () => {
  test('finds a payment at its start and mails its confirmation a moment later', async () => {
    const { ports, email, move, start, stop, waits, pass } = await openService()
    move('paid')
    const work = start()
    await waits.untilBothSleep()
    expect(await checkPremium(ports, email)).toBe(true)
    await pass(SECOND_MS)
    expect(ports.mailer.notices).toHaveLength(1)
    stop.abort()
    await work
  })

  test('looks at everything at its start, however short ago that was done, and later at what is due', async () => {
    const { ports, start, stop, waits, pass } = await openService()
    for (const sweep of SWEEP_NAMES) await ports.sweeps.recordRun(sweep, ports.clock.now())
    const work = start()
    await waits.untilBothSleep()
    const lists = [
      'findCompletedSessions',
      'findUndeliveredNotifications',
      'findRefunds',
      'findDisputes',
    ]
    expect(ports.payments.windows.map(({ list }) => list)).toEqual(lists)
    await pass(MINUTE_MS)
    expect(ports.payments.windows).toHaveLength(lists.length)
    stop.abort()
    await work
  })

  test('looks at everything until that was seen once, also where the provider was away at the start', async () => {
    const { ports, start, stop, waits, pass, move, email, sessionId } = await openService()
    for (const sweep of SWEEP_NAMES) await ports.sweeps.recordRun(sweep, ports.clock.now())
    const report = move('paid')
    ports.payments.sessions.delete(sessionId)
    ports.payments.outage = true
    const work = start()
    await waits.untilBothSleep()
    expect(await checkPremium(ports, email)).toBe(false)
    ports.payments.outage = false
    ports.payments.sessions.set('cs_lost', {
      ...report,
      sessionId: 'cs_lost',
      purchaseId: 'pur_lost' as PurchaseId,
      order: { ...report.order!, id: 'pur_lost' as PurchaseId },
    })
    await pass(MINUTE_MS)
    expect(await checkPremium(ports, email)).toBe(true)
    stop.abort()
    await work
  })

  test('tells telemetry of every sweep, what it repaired and whether it came to its end', async () => {
    const { ports, move, start, stop, waits } = await openService()
    move('paid')
    ports.payments.findDisputes = () => {
      throw new Unavailable('payment', { cause: new Error('down') })
    }
    const work = start()
    await waits.untilBothSleep()
    const kind = 'sweep_ended'
    expect(ports.telemetry.of(kind)).toEqual(
      SWEEP_NAMES.map((sweep) => ({
        kind,
        sweep,
        repaired: sweep === 'open_purchases' ? 1 : 0,
        failed: 0,
        finished: sweep !== 'disputes',
      })),
    )
    stop.abort()
    await work
  })

  test('looks again every minute', async () => {
    const { ports, email, move, start, stop, waits, pass } = await openService()
    const work = start()
    await waits.untilBothSleep()
    expect(waits.asked()).toEqual([SECOND_MS, MINUTE_MS])
    move('paid')
    for (let second = 1; second < 60; second++) await pass(SECOND_MS)
    expect(await checkPremium(ports, email)).toBe(false)
    await pass(SECOND_MS)
    expect(await checkPremium(ports, email)).toBe(true)
    stop.abort()
    await work
  })

  test('never begins a run before the last one has ended', async () => {
    const { ports, start, stop, pass, waits } = await openService()
    let running = 0
    let most = 0
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { readSession } = ports.payments
    ports.payments.readSession = async (sessionId) => {
      most = Math.max(most, ++running)
      await held
      running--
      return readSession(sessionId)
    }
    const work = start()
    while (running === 0) await Bun.sleep(0)
    // Ten minutes pass while the first run is still under way.
    ports.clock.advance(10 * MINUTE_MS)
    expect(running).toBe(1)
    release()
    await waits.untilBothSleep()
    await pass(MINUTE_MS)
    expect(most).toBe(1)
    stop.abort()
    await work
  })

  test('goes on after a database that does not answer, and asks it less often', async () => {
    const { ports, start, stop, waits, pass, move, email } = await openService()
    const { takeDue } = ports.outbox
    ports.outbox.takeDue = async () => {
      throw new Unavailable('storage', { cause: new Error('locked') })
    }
    move('paid')
    const work = start()
    await waits.untilBothSleep()
    expect(waits.asked()).toEqual([10 * SECOND_MS, MINUTE_MS])
    expect(ports.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: expect.objectContaining({ task: 'outbox', outage: 'storage' }),
      }),
    )
    ports.outbox.takeDue = takeDue
    await pass(10 * SECOND_MS)
    expect(ports.mailer.notices).toMatchObject([{ to: email }])
    stop.abort()
    await work
  })

  test('waits no shorter after a run of the reconciler that failed', async () => {
    const { ports, start, stop, waits } = await openService()
    ports.sweeps.findLastRun = async () => {
      throw new Unavailable('storage', { cause: new Error('locked') })
    }
    const work = start()
    await waits.untilBothSleep()
    expect(waits.asked()).toEqual([SECOND_MS, MINUTE_MS])
    stop.abort()
    await work
  })

  test('looks at everything again as long as a single list was out of reach', async () => {
    const { ports, start, stop, waits, pass } = await openService()
    for (const sweep of SWEEP_NAMES) await ports.sweeps.recordRun(sweep, ports.clock.now())
    const { findDisputes } = ports.payments
    ports.payments.findDisputes = () => {
      throw new Unavailable('payment', { cause: new Error('down') })
    }
    const work = start()
    await waits.untilBothSleep()
    ports.payments.findDisputes = findDisputes
    await pass(MINUTE_MS)
    const lists = ports.payments.windows.map(({ list }) => list)
    expect(lists.filter((list) => list === 'findRefunds')).toHaveLength(2)
    expect(lists).toContain('findDisputes')
    stop.abort()
    await work
  })

  test('asks for the price at its start and then every minute, and works as well without an answer', async () => {
    const { ports, start, stop, waits, pass, move, email } = await openService([
      'price',
      ...PAYMENT_TASKS,
    ])
    let asked = 0
    ports.payments.price = async () => {
      asked++
      throw new Unavailable('payment', { cause: new Error('down') })
    }
    move('paid')
    const work = start()
    await waits.untilBothSleep(3)
    await pass(SECOND_MS)
    expect(asked).toBe(1)
    expect(ports.mailer.notices).toMatchObject([{ to: email }])
    expect(ports.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: expect.objectContaining({ task: 'price', outage: 'payment' }),
      }),
    )
    await pass(MINUTE_MS)
    expect(asked).toBe(2)
    stop.abort()
    await work
  })

  test('ends when it has to stop, and not before the work under way has ended', async () => {
    const { ports, start, stop } = await openService()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { readSession } = ports.payments
    let isReading = false
    ports.payments.readSession = async (sessionId) => {
      isReading = true
      await held
      return readSession(sessionId)
    }
    let hasEnded = false
    const work = start().then(() => {
      hasEnded = true
    })
    while (!isReading) await Bun.sleep(0)
    stop.abort()
    await Bun.sleep(0)
    expect(hasEnded).toBe(false)
    release()
    await work
    expect(hasEnded).toBe(true)
  })
})

describe('the audit that the service makes by itself', () => {
  async function openAudit() {
    const service = await openService(['audit', 'mail_limit'])
    const { ports, start, waits } = service
    const ended = () => ports.log.lines.filter(({ event }) => event === 'audit.ended').length
    const work = start()
    await waits.untilBothSleep()
    return { ...service, ended, work }
  }

  test('comes five minutes after the beginning, and then once a day', async () => {
    const { ended, pass, stop, work } = await openAudit()
    await pass(5 * MINUTE_MS - 1)
    expect(ended()).toBe(0)
    await pass(1)
    expect(ended()).toBe(1)
    for (let hour = 1; hour < 24; hour++) await pass(HOUR_MS)
    expect(ended()).toBe(1)
    await pass(HOUR_MS)
    expect(ended()).toBe(2)
    stop.abort()
    await work
  })

  test('does not come where the service ends before', async () => {
    const { ended, stop, work } = await openAudit()
    stop.abort()
    await work
    expect(ended()).toBe(0)
  })

  test('takes 8 % of the time, however many records there are', async () => {
    const { ports, email } = await openBuyer()
    const grant = { id: 'given', email, revokedAt: null, since: ports.clock.now(), entries: [] }
    let [nowMs, workedMs] = [0, 0]
    ports.ledger.list = async (_, { limit }) => {
      nowMs += 10
      workedMs += 10
      const isMore = workedMs <= 1000
      return isMore
        ? Array.from({ length: limit }, () => ({ of: 'grant', ...grant, sale: null }))
        : []
    }
    async function wait(milliseconds: number) {
      nowMs += milliseconds
    }
    const monotonicMs = () => nowMs
    const { ofLeader } = serviceTasks({ ...OTHERS, ports, monotonicMs, wait })
    const audit = ofLeader().find(({ name }) => name === 'audit')
    await audit?.work(termUntil(new AbortController().signal))
    expect(workedMs).toBeGreaterThan(1000)
    expect(workedMs / nowMs).toBeLessThan(0.085)
  })
})

test('the routes are loaded once, and no request has to ask for them', async () => {
  const { ports } = await openBuyer()
  const { wait } = steppedWaits()
  let loads = 0
  const loadRoutes = async () => void loads++
  const monotonicMs = () => 0
  const tasks = named(['routes'], serviceTasks({ ...OTHERS, ports, monotonicMs, loadRoutes }))
  const stopping = new AbortController().signal
  const leadership = ALWAYS_LEADING
  await workInBackground({ ports, tasks, leadership, monotonicMs, wait, stopping })
  expect(loads).toBe(1)
})

test('whoever leads after another looks at everything once, as after a start', async () => {
  const { ports } = await openBuyer()
  const { ofLeader } = serviceTasks({ ...OTHERS, ports, monotonicMs: () => 0 })
  const term = termUntil(new AbortController().signal)
  const lists: number[] = []
  for (let terms = 1; terms <= 3; terms++) {
    const reconciler = ofLeader().find(({ name }) => name === 'reconciler')
    await reconciler?.work(term)
    await reconciler?.work(term)
    lists.push(ports.payments.windows.length)
  }
  expect(lists).toEqual([4, 8, 12])
})

type Described = [name: TaskName, everyMs: number | null]

test('every task is in the list with how often it runs and by whom', async () => {
  const { ports } = await openBuyer()
  const described = (own: Partial<Parameters<typeof serviceTasks>[0]>) => {
    const tasks = serviceTasks({ ...OTHERS, ports, monotonicMs: () => 0, ...own })
    const describeAll = (all: readonly Task[]) =>
      all.map(({ name, everyMs }): Described => [name, everyMs])
    return { ofEach: describeAll(tasks.ofEach), ofLeader: describeAll(tasks.ofLeader()) }
  }
  const ofLeader: Described[] = [
    ['outbox', SECOND_MS],
    ['reconciler', MINUTE_MS],
    ['pruning', HOUR_MS],
    ['audit', HOUR_MS],
    ['wrong_codes', MINUTE_MS],
    ['mail_limit', MINUTE_MS],
  ]
  const start: Described[] = [
    ['routes', null],
    ['price', MINUTE_MS],
  ]
  const readiness: Described = ['readiness', 30 * SECOND_MS]
  expect(described({})).toEqual({ ofEach: [...start, readiness], ofLeader })

  const backups = { work: async () => {}, findNewest: async () => null }
  expect(described({ backups })).toEqual({
    ofEach: [...start, ['backups', MINUTE_MS], readiness],
    ofLeader,
  })
  const replicas = {
    signOfLife: async () => {},
    leave: async () => {},
    findLive: async () => [],
  }
  expect(described({ replicas })).toEqual({
    ofEach: [...start, readiness, ['sign_of_life', 10 * SECOND_MS]],
    ofLeader,
  })
})
