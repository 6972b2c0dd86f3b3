import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { ALWAYS_LEADING, type Leadership } from '../../../application/upkeep/leadership.ts'
import {
  type Task,
  type Tasks,
  workInBackground,
} from '../../../interfaces/background/background.ts'
import { openBuyer } from '../../support/buyers.ts'
import { fixedClock } from '../../support/fakes.ts'
import { grantedLeadership } from '../../support/granted-leadership.ts'

type FixedClock = ReturnType<typeof fixedClock>

/** Starts work that every process does; the test ends each wait that a task asks for. */
function startTasks(
  ofEach: readonly Task[],
  { startAfterMs = 0, clock = fixedClock() }: { startAfterMs?: number; clock?: FixedClock } = {},
) {
  return startWork({ ofEach, ofLeader: () => [] }, { startAfterMs, clock })
}

async function startWork(
  tasks: Tasks,
  {
    startAfterMs = 0,
    clock = fixedClock(),
    leadership = ALWAYS_LEADING,
  }: { startAfterMs?: number; clock?: FixedClock; leadership?: Leadership },
) {
  const { ports } = await openBuyer()
  const stop = new AbortController()
  const waits = new Map<number, () => void>()
  const ended = workInBackground({
    ports,
    tasks,
    leadership,
    startAfterMs,
    monotonicMs: () => clock.now().getTime(),
    stopping: stop.signal,
    wait: (milliseconds, until) =>
      new Promise((resolve) => {
        if (until.aborted) return resolve()
        waits.set(milliseconds, resolve)
        until.addEventListener('abort', () => resolve())
      }),
  })
  return {
    ports,
    /** Ends the wait of so many milliseconds, as soon as a task waits for so long. */
    async pass(milliseconds: number) {
      while (!waits.has(milliseconds)) await Bun.sleep(0)
      const end = waits.get(milliseconds)
      waits.delete(milliseconds)
      end?.()
    },
    async end() {
      stop.abort()
      await ended
    },
  }
}

test('a task is done at once, and again each time its wait is over, never twice at a time', async () => {
  let begun = 0
  let running = 0
  const service = await startTasks([
    {
      name: 'pruning',
      everyMs: 77_000,
      async work() {
        begun++
        expect(++running).toBe(1)
        await Bun.sleep(0)
        running--
      },
    },
  ])
  expect(begun).toBe(1)
  await service.pass(77_000)
  await service.pass(77_000)
  while (begun < 3) await Bun.sleep(0)
  await service.end()
  expect(begun).toBe(3)
})

test('a task that fails is logged by its name, tried again later, and holds up no other', async () => {
  let failures = 0
  let done = 0
  const service = await startTasks([
    {
      name: 'backups',
      everyMs: 3000,
      async work() {
        failures++
        throw new Unavailable('storage', { cause: new Error('locked') })
      },
    },
    { name: 'pruning', everyMs: 4000, work: async () => void done++ },
  ])
  // What failed waits for ten seconds at least.
  await service.pass(10_000)
  await service.pass(4000)
  while (failures < 2 || done < 2) await Bun.sleep(0)
  expect(service.ports.log.lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      fields: expect.objectContaining({ task: 'backups', outage: 'storage' }),
    }),
  )
  const told = service.ports.telemetry.of('task_failed').map(({ task }) => task)
  expect(told).toEqual(['backups', 'backups'])
  await service.end()
})

test('a task under way learns that the service stops, and the service waits for it', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const service = await startTasks([
    {
      name: 'backups',
      everyMs: 5000,
      async work({ signal }) {
        signal.addEventListener('abort', () => tell())
        await held
      },
    },
  ])
  let hasEnded = false
  const end = service.end().then(() => {
    hasEnded = true
  })
  await told
  await Bun.sleep(0)
  expect(hasEnded).toBe(false)
  release()
  await end
})

test('no task begins before the time that is set for it', async () => {
  let begun = 0
  const work = async () => void begun++
  const service = await startTasks([{ name: 'price', everyMs: null, work }], { startAfterMs: 250 })
  await Bun.sleep(0)
  expect(begun).toBe(0)

  await service.pass(250)
  await service.end()
  expect(begun).toBe(1)
})

test('a service that stops before that time begins no task', async () => {
  let begun = 0
  const work = async () => void begun++
  const service = await startTasks([{ name: 'price', everyMs: null, work }], { startAfterMs: 250 })

  await service.end()
  expect(begun).toBe(0)
})

test('a run that counts from its start is followed in time, and at once where it took longer', async () => {
  const clock = fixedClock()
  const runsMs = [20_000, 90_000, 0]
  const work = async () => clock.advance(runsMs.shift() ?? 0)
  const task: Task = { name: 'reconciler', everyMs: 60_000, fromStart: true, work }
  const service = await startTasks([task], { clock })
  await service.pass(40_000)
  await service.pass(0)
  await service.pass(60_000)
  await service.end()
  expect(runsMs).toEqual([])
})

describe('work of the one that leads', () => {
  test('is not begun before this process leads, and then at once', async () => {
    let begun = 0
    const leadership = grantedLeadership()
    const work = async () => void begun++
    const service = await startWork(
      { ofEach: [], ofLeader: () => [{ name: 'outbox', everyMs: 1000, work }] },
      { leadership },
    )
    expect(begun).toBe(0)
    leadership.grant()
    await service.pass(1000)
    while (begun < 2) await Bun.sleep(0)
    await service.end()
  })

  test('ends with the term, while that of every process goes on', async () => {
    let led = 0
    let looks = 0
    const leadership = grantedLeadership()
    const service = await startWork(
      {
        ofEach: [{ name: 'readiness', everyMs: 3000, work: async () => void looks++ }],
        ofLeader: () => [{ name: 'outbox', everyMs: 1000, work: async () => void led++ }],
      },
      { leadership },
    )
    leadership.grant()
    await service.pass(1000)
    while (led < 2) await Bun.sleep(0)
    await leadership.revoke()
    await service.pass(3000)
    while (looks < 2) await Bun.sleep(0)
    expect(led).toBe(2)
    await service.end()
  })

  test('learns within a run that the term is over, also before any signal comes', async () => {
    const leadership = grantedLeadership()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const seen: boolean[] = []
    const service = await startWork(
      {
        ofEach: [],
        ofLeader: () => [
          {
            name: 'pruning',
            everyMs: 1000,
            async work(term) {
              seen.push(term.aborted)
              await held
              seen.push(term.aborted)
              expect(term.signal.aborted).toBe(false)
            },
          },
        ],
      },
      { leadership },
    )
    leadership.grant()
    while (seen.length === 0) await Bun.sleep(0)
    leadership.lapse()
    release()
    while (seen.length < 2) await Bun.sleep(0)
    expect(seen).toEqual([false, true])
    await leadership.revoke()
    await service.end()
  })

  test('begins anew in each term, and remembers nothing of an old one', async () => {
    const leadership = grantedLeadership()
    let made = 0
    const runs: [maker: number, run: number][] = []
    function ofLeader(): readonly Task[] {
      const maker = ++made
      let run = 0
      return [
        { name: 'reconciler', everyMs: 1000, work: async () => void runs.push([maker, ++run]) },
      ]
    }
    const service = await startWork({ ofEach: [], ofLeader }, { leadership })
    leadership.grant()
    await service.pass(1000)
    while (runs.length < 2) await Bun.sleep(0)
    await leadership.revoke()
    leadership.grant()
    while (runs.length < 3) await Bun.sleep(0)
    expect(runs).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ])
    await service.end()
  })

  test('of a service that stops has ended before another may lead', async () => {
    const leadership = grantedLeadership()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let isRunning = false
    const service = await startWork(
      {
        ofEach: [],
        ofLeader: () => [
          {
            name: 'outbox',
            everyMs: 1000,
            async work() {
              isRunning = true
              await held
              isRunning = false
            },
          },
        ],
      },
      { leadership },
    )
    leadership.grant()
    while (!isRunning) await Bun.sleep(0)
    const end = service.end()
    await Bun.sleep(0)
    expect(leadership.isGivenBack()).toBe(false)
    release()
    await end
    expect([isRunning, leadership.isGivenBack()]).toEqual([false, true])
  })
})
