import { test } from 'bun:test'
import { after, killInLanes, type Lane, some, spread } from '../support/executable/kill-lane.ts'
import { until } from '../support/executable/until.ts'

const CREATE = 'POST /v1/checkout/sessions'
const READ = 'GET /v1/checkout/sessions/:id'

type Kill = (lane: Lane, email: string) => Promise<void>

/** Stripe has the request and acts on it when nobody waits for its answer any more. */
const beforeStripeActs: Kill = async (lane, email) => {
  const { double, asked } = lane.production
  const before = double.count(CREATE)
  const release = double.hold(CREATE)
  const broken = checkOut(lane, email)
  await asked(CREATE, before + 1)
  await kill(lane, email, 'before Stripe acts')
  release()
  await broken
}

const beforeTheAnswer: Kill = async (lane, email) => {
  const { double } = lane.production
  const before = double.sessions.size
  double.fault('hang', { on: CREATE })
  const broken = checkOut(lane, email)
  await until('Stripe has acted', () => double.sessions.size > before)
  await kill(lane, email, 'before Stripe’s answer')
  await broken
}

/** The buyer comes back to the page, and Stripe is asked whether it still takes money. */
const whileReopening: Kill = async (lane, email) => {
  const { double, asked } = lane.production
  await lane.buyerOf(email).checkOut()
  const before = double.count(READ)
  double.fault('hang', { on: READ })
  const broken = checkOut(lane, email)
  await asked(READ, before + 1)
  await kill(lane, email, 'while the page is reopened')
  await broken
}

const afterTheAnswer: Kill = async (lane, email) => {
  await lane.buyerOf(email).checkOut()
  await kill(lane, email, 'after the answer')
}

function atMoment(milliseconds: number): Kill {
  return async (lane, email) => {
    const broken = checkOut(lane, email)
    await after(milliseconds)
    await kill(lane, email, 'at any moment')
    await broken
  }
}

const checkOut = ({ buyerOf }: Lane, email: string) =>
  buyerOf(email)
    .http.post('/checkout', { email })
    .catch(() => null)

async function kill(lane: Lane, email: string, moment: string): Promise<void> {
  lane.count(moment)
  await lane.kill(({ read }) => {
    const [purchase] = read('SELECT session_id FROM purchases WHERE email = ?', email)
    if (!purchase) return 'leaving no purchase'
    return purchase['session_id'] ? 'leaving its session' : 'leaving no session'
  })
}

test('killed anywhere in a checkout it sells once: the next one is the only page, and whoever pays there has premium', async () => {
  const kills: readonly Kill[] = [
    ...some(10, () => beforeStripeActs),
    ...some(10, () => beforeTheAnswer),
    ...some(6, () => afterTheAnswer),
    ...some(4, () => whileReopening),
    ...spread(20, 15).map(atMoment),
  ]
  await killInLanes('checkout', kills, {
    lanes: 3,
    async carryOut(lane, kill, email) {
      const { double } = lane.production
      await kill(lane, email)
      await lane.start()
      const { sessionId } = await lane.buyerOf(email).checkOut()
      double.pay(sessionId)
      await double.deliverAll()
      lane.premium.set(email, true)
    },
  })
})
