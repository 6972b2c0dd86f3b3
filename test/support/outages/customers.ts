import { expect } from 'bun:test'
import { insistOn, type Production } from '../executable/production.ts'
import { type Sample, take } from './steady-load.ts'

/** What customers have been told, and have to find true from then on. */
export type Acknowledged = {
  /** Those whose payment was taken note of. */
  readonly granted: Set<string>
  /** Tokens that were valid, and then logged out. */
  readonly loggedOut: Set<string>
  /** Tokens that were issued and not logged out. */
  readonly valid: Set<string>
}

export type Customers = {
  readonly acknowledged: Acknowledged
  /** Every answer to them. */
  readonly samples: readonly Sample[]
  /** How many have come to the end of their way. */
  readonly finished: () => number
  /** Lets those who are on their way come to its end, and no others begin. Throws what one has found wrong. */
  leave(): Promise<void>
}

export type CustomerOptions = {
  /** The replicas that serve, as a load balancer knows them: one that was killed is left out sooner or later. */
  readonly urls: () => readonly string[]
  /** How many are on their way at the same time. */
  readonly atOnce: number
  /** Forgets the open page of an address, as a backup from before it does: then it can be paid twice. */
  readonly forgetPage: (email: string) => Promise<unknown>
}

const LANGUAGE = 'en'
const AGAIN_MS = 25

/**
 * Customers who come one after the other: each proves an address, buys, logs in and reads; every third logs out, and
 * every fifth pays twice. Whoever is told that the service is unavailable, or nothing, tries again; any other answer
 * than the right one is wrong.
 */
export function sendCustomers(production: Production, options: CustomerOptions): Customers {
  const { double, mailbox } = production
  const { urls, atOnce, forgetPage } = options
  const samples: Sample[] = []
  const granted = new Set<string>()
  const loggedOut = new Set<string>()
  const valid = new Set<string>()
  let isOver = false
  let begun = 0
  let finished = 0

  async function ask(kind: string, path: string, init: RequestInit = {}): Promise<Sample> {
    const all = urls()
    const url = all[Math.floor(Math.random() * all.length)]
    const sample = await take({
      kind,
      ask: () => fetch(url + path, { redirect: 'manual', ...init }),
    })
    samples.push(sample)
    return sample
  }

  const post = (kind: string, path: string, body: unknown, token?: string) =>
    ask(kind, path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    })
  const read = (token: string) =>
    ask('premium', '/premium-reasons', { headers: { authorization: `Bearer ${token}` } })

  /** Tries until it is answered by one that is neither unavailable nor gone. */
  async function insist(step: () => Promise<Sample>): Promise<{ answer: Sample; tries: number }> {
    for (let tries = 1; ; tries++) {
      const answer = await step()
      if (answer.status !== null && answer.status !== 503) return { answer, tries }
      await Bun.sleep(AGAIN_MS)
    }
  }

  async function mustAnswer(status: number, step: () => Promise<Sample>): Promise<Sample> {
    const { answer } = await insist(step)
    expect(`${answer.kind}: ${answer.status} ${answer.text.slice(0, 200)}`).toStartWith(
      `${answer.kind}: ${status} `,
    )
    return answer
  }

  /** Resolves with the token, for an address that has premium. A code whose answer was lost may be used up. */
  async function prove(email: string): Promise<string | null> {
    for (;;) {
      const body = { email, lang: LANGUAGE }
      await mustAnswer(200, () => post('verify-email', '/auth/verify-email', body))
      const code = mailbox.latestCode(email)
      const { answer, tries } = await insist(() =>
        post('confirm-email', '/auth/confirm-email', { email, code }),
      )
      if (answer.status === 200) return JSON.parse(answer.text).token ?? null
      if (tries === 1) expect(`${answer.status} ${answer.text}`).toBe('200')
    }
  }

  async function openPage(email: string): Promise<string> {
    const { text } = await mustAnswer(200, () => post('checkout', '/checkout', { email }))
    return JSON.parse(text).sessionId
  }

  /** Stripe tells again whatever was not taken. */
  async function pay(sessionId: string): Promise<void> {
    for (const event of double.pay(sessionId)) {
      for (;;) {
        double.deliverTo(`${urls()[0]}/webhook/stripe`)
        const status = await double.deliver(event).catch(() => null)
        if (status === 200) break
        if (status !== null) expect(status).toBe(503)
        await Bun.sleep(AGAIN_MS)
      }
    }
  }

  /** A token whose log-out was carried out, and only the answer was lost, is a wrong one by now. */
  async function logOut(token: string): Promise<void> {
    const { answer, tries } = await insist(() => post('logout', '/auth/logout', {}, token))
    const right = tries > 1 ? [200, 401] : [200]
    expect(right).toContain(answer.status ?? 0)
  }

  async function live(number: number): Promise<void> {
    const email = `customer-${number}@example.com`
    await prove(email)
    const pages = [await openPage(email)]
    if (number % 5 === 0) {
      await forgetPage(email)
      pages.push(await openPage(email))
    }
    for (const page of pages) await pay(page)
    granted.add(email)
    const token = await prove(email)
    if (token === null) throw new Error(`${email} has paid, and got no token`)
    await mustAnswer(200, () => read(token))
    if (number % 3 === 0) {
      await logOut(token)
      loggedOut.add(token)
      await mustAnswer(401, () => read(token))
    } else {
      valid.add(token)
    }
    finished++
  }

  async function send(): Promise<void> {
    while (!isOver) await live(++begun)
  }

  const all = Promise.allSettled(Array.from({ length: atOnce }, send))
  return {
    acknowledged: { granted, loggedOut, valid },
    samples,
    finished: () => finished,
    async leave() {
      isOver = true
      for (const sent of await all) if (sent.status === 'rejected') throw sent.reason
    },
  }
}

/** A line for each promise that the service, as it is now, does not keep. */
export async function findBroken(
  url: string,
  { granted, loggedOut, valid }: Acknowledged,
): Promise<readonly string[]> {
  const broken: string[] = []
  const statusFor = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await insistOn(() => fetch(`${url}/premium-reasons`, { headers }))).status
  }
  for (const email of granted) {
    const path = `/auth/check?email=${encodeURIComponent(email)}`
    const answer = await insistOn(() => fetch(url + path))
    const { hasPremium } = (await answer.json()) as { hasPremium?: boolean }
    if (hasPremium !== true) broken.push(`${email} has paid, and has no premium`)
  }
  for (const token of loggedOut) {
    if ((await statusFor(token)) !== 401) broken.push('a token works that was logged out')
  }
  for (const token of valid) {
    if ((await statusFor(token)) !== 200) broken.push('a token that was issued does not work')
  }
  return broken
}
