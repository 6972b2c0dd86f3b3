import type { seededRandom } from '../seeded-random.ts'
import type { AttackSize } from './attack-day.ts'
import type { AttackedService } from './attacked-service.ts'
import type { Sent } from './attackers.ts'

export type CustomerOutcome = {
  readonly isOld: boolean
  /** The first step at which the service refused, with the status; null where all went well. */
  readonly refusedAt: string | null
}

/** One of those who come in the day. */
export type Customer = {
  readonly index: number
  /** Whether they have bought before, and have the token from then. */
  readonly isOld: boolean
  /** As which of them the attack tries to lock this one out; null where it does not. */
  readonly chosenIndex: number | null
  readonly hasExpiredToken: boolean
}

/** Three of five have bought before. The first of these are chosen by the attack. */
export function customersOf({ customers, chosen }: AttackSize): Customer[] {
  let old = 0
  return Array.from({ length: customers }, (_, index) => {
    const isOld = index % 5 < 3
    const chosenIndex = isOld && old < chosen ? old : null
    if (isOld) old++
    return { index, isOld, chosenIndex, hasExpiredToken: chosenIndex !== null || index % 3 === 0 }
  })
}

export function emailOf({ index, isOld }: Customer): string {
  return `${isOld ? 'old' : 'new'}${index}@customers.example`
}

type Visit = {
  readonly customer: Customer
  readonly service: AttackedService
  readonly random: ReturnType<typeof seededRandom>
}

type Step = Omit<Sent, 'peer'>

class Refused extends Error {}

const READS = 5

/** How the visit of a customer goes. */
export function visit(parts: Visit): Promise<CustomerOutcome> {
  const { isOld } = parts.customer
  return outcome(isOld, () => (isOld ? comeBack(parts) : comeFirst(parts)))
}

/** One whose token has expired asks for a code with it. */
async function comeBack({ customer, service, random }: Visit): Promise<void> {
  const email = emailOf(customer)
  const ask = visitor(service, random)
  let token = service.oldTokens.get(email) ?? null
  if (customer.hasExpiredToken) {
    await ask('verify-email', { ...post('/auth/verify-email', { email }), token })
    const code = service.codeFor(email)
    const confirm = { ...post('/auth/confirm-email', { email, code }), token }
    token = String((await ask('confirm-email', confirm))['token'])
  }
  await readExcuses(ask, token)
}

/** Comes for the first time, pays and reads. */
async function comeFirst({ customer, service, random }: Visit): Promise<void> {
  const email = emailOf(customer)
  const ask = visitor(service, random)
  await ask('app', { method: 'GET', path: '/app' })
  await ask('verify-email', post('/auth/verify-email', { email }))
  await ask('confirm-email', post('/auth/confirm-email', { email, code: service.codeFor(email) }))
  const { sessionId } = await ask('checkout', post('/checkout', { email }))
  await service.pay(String(sessionId))
  await ask('success', { method: 'GET', path: `/payment/success?session_id=${sessionId}` })
  await ask('request-otp', post('/auth/request-otp', { email }))
  const { token } = await ask('login', post('/auth/login', { email, code: service.codeFor(email) }))
  await readExcuses(ask, String(token))
}

type Ask = (step: string, sent: Step) => Promise<Readonly<Record<string, unknown>>>

async function readExcuses(ask: Ask, token: string | null): Promise<void> {
  await ask('i18n', { method: 'GET', path: '/i18n?lang=sv', token })
  for (let read = 0; read < READS; read++) {
    await ask('premium-reasons', { method: 'GET', path: '/premium-reasons?lang=sv', token })
  }
}

function post(path: string, body: object): Step {
  return { method: 'POST', path, body }
}

/** Somebody at home, anywhere. */
function visitor(service: AttackedService, random: Visit['random']): Ask {
  const peer = homeAddress(random)
  return async (step, sent) => {
    const { status, body } = await service.send({ ...sent, peer })
    if (status !== 200) throw new Refused(`${step}: ${status}`)
    return body
  }
}

function homeAddress(random: Visit['random']): string {
  if (random.below(2) === 0) return [5, 6, 7, 8].map(() => 1 + random.below(95)).join('.')
  return `2a00:${random.below(65_536).toString(16)}:${random.below(65_536).toString(16)}:1::7`
}

async function outcome(isOld: boolean, come: () => Promise<void>): Promise<CustomerOutcome> {
  try {
    await come()
    return { isOld, refusedAt: null }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { isOld, refusedAt: `${isOld ? 'old' : 'new'} ${error.message}` }
  }
}
