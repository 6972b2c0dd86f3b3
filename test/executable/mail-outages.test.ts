import { expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/duration.ts'
import { ATTEMPTS_MAX } from '../../domain/outbox.ts'
import { checkEnds } from '../support/executable/ends.ts'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
} from '../support/executable/production.ts'
import { carriedOut, change, stored } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import type { MailFault } from '../support/mailbox.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

// The waits between two tries begin at half a minute, which no test can wait for. So the moments on record are moved
// into the past while the service is stopped, which stands for time that goes by until the next try is due.

const EMAIL = 'buyer@example.com'

type Message = { readonly attempts: number; readonly dueAt: number; readonly state: string }

function message(production: Production): Message {
  const [row] = stored(production, 'SELECT attempts, due_at, state FROM outbox')
  return {
    attempts: Number(row?.['attempts']),
    dueAt: Number(row?.['due_at']),
    state: String(row?.['state']),
  }
}

/** Moves everything to the moment at which the next try is due, and says how long that took. */
function passUntilDue(production: Production): number {
  const waitMs = Math.max(0, message(production).dueAt - Date.now())
  const moved = String(waitMs)
  change(production, 'UPDATE outbox SET created_at = created_at - ?1, due_at = due_at - ?1', moved)
  return waitMs
}

/** Somebody buys while the mail provider is out of order, and has premium all the same. */
async function buyWithoutMail(production: Production, fault: MailFault): Promise<AlibiProcess> {
  const { double, mailbox } = production
  const alibi = await production.start()
  const { prove, checkOut, hasPremium } = buyer(alibi, production, EMAIL)
  await prove()
  const { sessionId } = await checkOut()
  mailbox.fault(fault, { times: Infinity })
  double.pay(sessionId)
  await deliverAll(production)
  await tried(production, 1)
  expect(await hasPremium()).toBe(true)
  return alibi
}

const notices = ({ mailbox: { mails } }: Production) => mails.filter(({ key }) => key !== null)

/** The attempt is over as soon as nothing of it is under way, which the end of the process makes certain. */
async function tried(production: Production, times: number): Promise<void> {
  await until(`the mail is tried ${times} times`, () => notices(production).length >= times)
}

const OUTAGES: readonly [string, MailFault, { rounds: number; takenMeanwhile: number }][] = [
  ['fails', 'down', { rounds: 4, takenMeanwhile: 0 }],
  ['hangs up', 'reset', { rounds: 4, takenMeanwhile: 0 }],
  ['is silent', 'hang', { rounds: 1, takenMeanwhile: 0 }],
  ['takes the mail and hangs up', 'taken_reset', { rounds: 4, takenMeanwhile: 1 }],
  ['takes the mail and is silent', 'taken_hang', { rounds: 1, takenMeanwhile: 1 }],
]

test.concurrent.each(OUTAGES)(
  'while the mail provider %s a payment counts, and is confirmed once afterwards',
  async (name, fault, { rounds, takenMeanwhile }) => {
    await using production = await openProduction()
    const { mailbox } = production
    let startedAt = Date.now()
    let alibi = await buyWithoutMail(production, fault)
    const waits: number[] = []
    for (let round = 1; ; round++) {
      // An attempt under way is given up after ten seconds, and the process ends after that.
      expect(await alibi.stop()).toBe(0)
      expect(message(production)).toMatchObject({ attempts: round, state: 'waiting' })
      // The next try is due 30, 60, 120, ... seconds after this one, which was between start and end of the process.
      const waitMs = 30 * SECOND_MS * 2 ** (round - 1)
      expect(message(production).dueAt - waitMs).toBeWithin(startedAt, Date.now() + 1)
      waits.push(passUntilDue(production))
      if (round === rounds) break
      startedAt = Date.now()
      alibi = await production.start()
      await tried(production, round + 1)
    }
    expect(mailbox.delivered.filter(({ key }) => key !== null).length).toBe(takenMeanwhile)

    mailbox.clearFaults()
    alibi = await production.start()
    await carriedOut(production)
    const ends = await checkEnds(production, alibi, new Map([[EMAIL, true]]))
    const all = notices(production)
    console.log(
      `mail provider that ${name}: ${all.length} tries under ${new Set(all.map(({ key }) => key)).size} key, ` +
        `waits of ${waits.map((wait) => Math.round(wait / SECOND_MS)).join(', ')} s, ` +
        `${ends.confirmed} confirmation, ${ends.wrong.length} wrong ends`,
    )
    expect(ends).toEqual({ wrong: [], payments: 1, confirmed: 1, refunded: 0 })
    expect(all.length).toBe(rounds + 1)
    expect(new Set(all.map((mail) => JSON.stringify(mail))).size).toBe(1)
  },
)

test.concurrent('a mail provider that is down for a day is asked less and less, and then the mail goes out once', async () => {
  await using production = await openProduction()
  let alibi = await buyWithoutMail(production, 'down')
  let passedMs = 0
  let attempts = 1
  while (passedMs < DAY_MS) {
    await alibi.stop()
    passedMs += passUntilDue(production)
    alibi = await production.start()
    await tried(production, ++attempts)
  }
  await alibi.stop()
  production.mailbox.clearFaults()
  passUntilDue(production)
  alibi = await production.start()
  await carriedOut(production)

  const ends = await checkEnds(production, alibi, new Map([[EMAIL, true]]))
  console.log(
    `mail provider down for ${Math.round(passedMs / HOUR_MS)} hours: ${attempts} tries, ` +
      `${ends.confirmed} confirmation, ${ends.wrong.length} wrong ends`,
  )
  expect(ends).toEqual({ wrong: [], payments: 1, confirmed: 1, refunded: 0 })
  expect(attempts).toBeWithin(20, 40)
})

test.concurrent('a mail provider that is down for three days leaves the mail to the operator, who is told so', async () => {
  await using production = await openProduction()
  let alibi = await buyWithoutMail(production, 'down')
  await alibi.stop()
  expect(alibi.output()).not.toContain('outbox.given_up')
  passUntilDue(production)
  change(production, 'UPDATE outbox SET attempts = ?', ATTEMPTS_MAX)
  alibi = await production.start()
  await until('it is given up', () => message(production).state === 'given_up')
  expect(await buyer(alibi, production, EMAIL).hasPremium()).toBe(true)
  await alibi.stop()

  const alarms = alibi
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
  expect(alarms.length).toBe(1)
  expect(alarms[0]).toContain('given up')
  expect(alarms[0]).not.toContain(EMAIL)
})
