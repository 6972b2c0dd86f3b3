import { expect, test } from 'bun:test'
import { after, killInLanes, type Lane, some, spread } from '../support/executable/kill-lane.ts'
import { change, letSweepTimePass, stored } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'

const READ_SESSION = 'GET /v1/checkout/sessions/:id'
const LIST_SESSIONS = 'GET /v1/checkout/sessions'
const LIST_REFUNDS = 'GET /v1/refunds'

type Kill = (lane: Lane, email: string) => Promise<void>

const stateOf = (email: string) => ['SELECT state FROM purchases WHERE email = ?', email] as const

/** Somebody pays, and no webhook ever comes. */
async function payUnnoticed(lane: Lane, email: string) {
  // A sweep that is under way would notice.
  await lane.swept()
  const { sessionId } = await lane.buyerOf(email).checkOut()
  lane.production.double.pay(sessionId)
}

/** The service finds out when it is started, and is killed while it does. */
function atStart(
  moment: string,
  reach: (lane: Lane) => Promise<void>,
  prepare: (lane: Lane, email: string) => void = () => {},
): Kill {
  return async (lane, email) => {
    await payUnnoticed(lane, email)
    await lane.stop()
    prepare(lane, email)
    lane.count(moment)
    await reach(lane)
    await lane.kill(({ read }) => {
      const [purchase] = read(...stateOf(email))
      return purchase ? `leaving it ${purchase['state']}` : 'leaving it lost'
    })
    await lane.start()
  }
}

/** As a backup from before the purchase leaves it: only Stripe's list of sessions knows of it. */
function loseRow({ production }: Lane, email: string): void {
  change(production, 'DELETE FROM purchases WHERE email = ?', email)
  letSweepTimePass(production)
}

function whileAsking(route: string) {
  return async (lane: Lane) => {
    const { double, asked } = lane.production
    const before = double.count(route)
    double.fault('hang', { on: route })
    await lane.start()
    await asked(route, before + 1)
  }
}

/** Stripe has the question, and the answer comes when nobody is there any more. */
async function beforeTheAnswer(lane: Lane) {
  const { double, asked } = lane.production
  const before = double.count(READ_SESSION)
  const release = double.hold(READ_SESSION)
  await lane.start()
  await asked(READ_SESSION, before + 1)
  release()
}

function momentsAfterStart(milliseconds: number) {
  return async (lane: Lane) => {
    await lane.start()
    await after(milliseconds)
  }
}

/** The command, beside a service that runs on. */
const command: Kill = async (lane, email) => {
  const { production } = lane
  const { double, executable, folder: cwd, settings: env, asked } = production
  await payUnnoticed(lane, email)
  const before = double.count(READ_SESSION)
  double.fault('hang', { on: READ_SESSION })
  const child = Bun.spawn([executable, 'reconcile'], {
    cwd,
    env,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await asked(READ_SESSION, before + 1)
  child.kill('SIGKILL')
  await child.exited
  lane.countKill('the command')
  expect(stored(production, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(stored(production, ...stateOf(email))).toEqual([{ state: 'open' }])
  expect((await production.run(['reconcile'])).exitCode).toBe(0)
}

test('killed anywhere while it reconciles it begins again, and whoever has paid has premium', async () => {
  const kills: readonly Kill[] = [
    ...some(8, () => atStart('while Stripe is asked', whileAsking(READ_SESSION))),
    ...some(6, () => atStart('right after the answer', beforeTheAnswer)),
    ...spread(16, 64).map((moment) => atStart('at any moment', momentsAfterStart(moment))),
    ...some(3, () => atStart('while Stripe lists sessions', whileAsking(LIST_SESSIONS), loseRow)),
    ...some(3, () =>
      atStart('while a lost purchase is restored', whileAsking(LIST_REFUNDS), loseRow),
    ),
    ...spread(8, 96).map((moment) =>
      atStart('at any moment of a whole sweep', momentsAfterStart(moment), loseRow),
    ),
    ...some(6, () => command),
  ]
  await killInLanes('reconciling', kills, {
    lanes: 3,
    async carryOut(lane, kill, email) {
      await kill(lane, email)
      await until(`${email} has premium`, () => lane.buyerOf(email).hasPremium())
      lane.premium.set(email, true)
    },
  })
})
