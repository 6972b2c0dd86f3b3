import { buyer, type Production } from '../executable/production.ts'
import { until } from '../executable/until.ts'
import type { AlibiProcess } from '../service/alibi-process.ts'
import type { StripeEvent } from '../stripe/stripe-events.ts'

// A shop in front of which stress comes up: buyers who are about to pay, and a reader who has.

export type Shop = Awaited<ReturnType<typeof openShop>>

const ASK_EVERY_MS = 10

/** The events of the log that say only what was asked. */
const REQUESTS: readonly string[] = ['http.request', 'http.requests_counted']

/** Buyers with an open payment page each, and one with a purchase from long ago. */
export async function openShop(production: Production, alibi: AlibiProcess, buyers: number) {
  const reader = buyer(alibi, production, 'reader@example.com')
  const { token } = await reader.buy()
  const waiting = Array.from({ length: buyers }, (_, number) => `buyer-${number}@example.com`)
  const sessions = await Promise.all(
    waiting.map(async (email) => {
      const { prove, checkOut } = buyer(alibi, production, email)
      await prove()
      return { email, sessionId: (await checkOut()).sessionId }
    }),
  )

  return {
    token,
    sessions,
    /** The buyer pays at Stripe, which has an event to tell. */
    pay: (sessionId: string): StripeEvent => production.double.pay(sessionId).at(-1)!,
    /** The addresses among these that lack premium. */
    async withoutPremium(alibiNow: AlibiProcess, emails: readonly string[]): Promise<string[]> {
      const has = await Promise.all(
        emails.map((email) => buyer(alibiNow, production, email).hasPremium()),
      )
      return emails.filter((_, index) => !has[index])
    },
  }
}

/** What the log says beside its requests, each line as `level event`. */
export function loggedEvents(alibi: Pick<AlibiProcess, 'output'>): readonly string[] {
  const lines = alibi
    .output()
    .split('\n')
    // What follows the last line break is a line that is still on its way.
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
  const entries = lines.map((line) => JSON.parse(line) as { level: string; event: string })
  return entries
    .filter(({ event }) => !REQUESTS.includes(event))
    .map(({ level, event }) => `${level} ${event}`)
}

/** Those of them that are the operator's business at once. */
export function loggedErrors(alibi: Pick<AlibiProcess, 'output'>): readonly string[] {
  return loggedEvents(alibi).filter((line) => line.startsWith('error '))
}

export async function readyStatus({ url }: Pick<AlibiProcess, 'url'>): Promise<number> {
  return (await fetch(`${url}/ready`)).status
}

/** Resolves with the milliseconds until /ready says this. */
export async function untilReady(
  alibi: Pick<AlibiProcess, 'url'>,
  status: 200 | 503,
): Promise<number> {
  const before = performance.now()
  await until(`/ready answers ${status}`, async () => {
    if ((await readyStatus(alibi)) === status) return true
    await Bun.sleep(ASK_EVERY_MS)
    return false
  })
  return performance.now() - before
}
