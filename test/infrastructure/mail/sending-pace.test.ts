import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import type { AnnouncedPace } from '../../../infrastructure/mail/announced-pace.ts'
import { type Answer, sendingPace } from '../../../infrastructure/mail/sending-pace.ts'
import { movedTimers } from '../../support/moved-timers.ts'
import { turn } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 10_000
const SILENT: AnnouncedPace = { limit: null, retryAfterMs: null }
const FIVE_A_SECOND: AnnouncedPace = { ...SILENT, limit: { count: 5, windowMs: 1000 } }
const REFUSAL = new Unavailable('email', { cause: 'too many', answered: true })

const taken = (announced = FIVE_A_SECOND): Answer => ({ announced, tooMany: null })
const tooMany = (announced: AnnouncedPace): Answer => ({ announced, tooMany: REFUSAL })

/** A pace whose tries are answered by the test, and what became of each mail. */
function openPace() {
  const timers = movedTimers()
  const pace = sendingPace({ timers, timeoutMs: TIMEOUT_MS })
  const tries: { name: string; atMs: number; timeLeftMs: number }[] = []
  const open: { name: string; answer: (answer: Answer) => void; fail: (error: unknown) => void }[] =
    []
  const ends: Record<string, { atMs: number; error: unknown }> = {}

  function send(name: string, isCustomer = false): void {
    const end = (error: unknown) => {
      ends[name] = { atMs: timers.monotonicMs(), error }
    }
    const tryOnce = (timeLeftMs: number) => {
      tries.push({ name, atMs: timers.monotonicMs(), timeLeftMs })
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      open.push({ name, answer: resolve, fail: reject })
      return promise
    }
    pace.send(tryOnce, { isCustomer }).then(() => end(null), end)
  }

  return {
    tries,
    ends,
    names: () => tries.map(({ name }) => name),
    send,
    sendMany(count: number): void {
      for (let number = 1; number <= count; number++) send(String(number))
    },
    /** Answers the tries under way, the oldest first. */
    async answer(answer: Answer, count = open.length): Promise<void> {
      for (const one of open.splice(0, count)) one.answer(answer)
      await turn()
    },
    /** Answers the mail of that name where one is under way. */
    async answerOf(name: string, answer: Answer): Promise<void> {
      const at = open.findIndex((one) => one.name === name)
      if (at !== -1) open.splice(at, 1)[0]?.answer(answer)
      await turn()
    },
    async fail(error: unknown): Promise<void> {
      open.shift()?.fail(error)
      await turn()
    },
    async pass(milliseconds: number): Promise<void> {
      timers.advance(milliseconds)
      await turn()
    },
  }
}

describe('a provider that has not said anything yet', () => {
  test('gets five at once, and the rest as soon as it answers without a pace', async () => {
    const { sendMany, answer, tries } = openPace()
    sendMany(30)
    expect(tries).toHaveLength(5)
    await answer(taken(SILENT), 1)
    expect(tries).toHaveLength(30)
  })

  test('gets the rest when the first try fails in another way, too', async () => {
    const { sendMany, fail, tries, ends } = openPace()
    sendMany(30)
    const error = new Unavailable('email', { cause: 'down', answered: true })
    await fail(error)
    expect(ends).toEqual({ 1: { atMs: 0, error } })
    expect(tries).toHaveLength(30)
  })

  test('and hangs keeps others waiting for two seconds at a time', async () => {
    const { sendMany, pass, tries } = openPace()
    sendMany(12)
    await pass(1999)
    expect(tries).toHaveLength(5)
    await pass(1)
    expect(tries).toHaveLength(10)
    await pass(2000)
    expect(tries).toHaveLength(12)
  })
})

describe('a provider that has announced its pace', () => {
  test('gets a mail at once where that keeps to it', async () => {
    const { send, answer, pass, tries } = openPace()
    for (let second = 0; second < 10; second++) {
      for (let one = 0; one < 5; one++) send(`${second} ${one}`)
      expect(tries).toHaveLength(5 * (second + 1))
      await answer(taken())
      await pass(1000)
    }
  })

  test('gets the next ones a window after it has answered', async () => {
    const { sendMany, answer, pass, tries } = openPace()
    sendMany(7)
    await pass(300)
    await answer(taken())
    await pass(999)
    expect(tries).toHaveLength(5)
    await pass(1)
    expect(tries.slice(5)).toEqual([
      { name: '6', atMs: 1300, timeLeftMs: 8700 },
      { name: '7', atMs: 1300, timeLeftMs: 8700 },
    ])
  })

  test('may change it', async () => {
    const { sendMany, answer, pass, tries } = openPace()
    sendMany(20)
    await answer(taken({ ...SILENT, limit: { count: 2, windowMs: 1000 } }))
    await pass(1000)
    expect(tries).toHaveLength(7)
    await answer(taken({ ...SILENT, limit: { count: 10, windowMs: 1000 } }))
    expect(tries).toHaveLength(15)
  })
})

describe('a refusal for now', () => {
  test('of several every mail waits as long as was said, and the refused ones come last', async () => {
    const { sendMany, send, answer, pass, names } = openPace()
    sendMany(6)
    await answer(tooMany({ ...FIVE_A_SECOND, retryAfterMs: 3000 }))
    send('customer', true)
    await pass(2999)
    expect(names()).toHaveLength(5)
    await pass(1)
    expect(names().slice(5)).toEqual(['customer', '6', '1', '2', '3'])
  })

  test('of all that are under way one goes at a time, also after everybody has gone', async () => {
    const { sendMany, answer, pass, names } = openPace()
    sendMany(3)
    await answer(tooMany(SILENT))
    await pass(999)
    expect(names()).toEqual(['1', '2', '3'])
    await pass(1)
    expect(names().slice(3)).toEqual(['1'])
    await answer(taken(SILENT))
    expect(names().slice(3)).toEqual(['1', '2'])
    await answer(taken(SILENT))
    await answer(taken(SILENT))
    sendMany(3)
    expect(names().slice(6)).toEqual(['1'])
  })

  test('of more than a silent provider takes at a time no more go than it had, until it was calm for a minute', async () => {
    const { sendMany, answer, answerOf, pass, names, ends } = openPace()
    sendMany(5)
    for (const name of ['3', '4', '5']) await answerOf(name, tooMany(SILENT))
    await answer(taken(SILENT))
    await pass(1000)
    // Two found room before, and two go now. Those who come meanwhile come first.
    expect(names().slice(5)).toEqual(['3', '4'])
    sendMany(3)
    await answer(taken(SILENT), 1)
    expect(names().slice(7)).toEqual(['1'])
    await answer(taken(SILENT))
    for (let rest = 0; rest < 5; rest++) await answer(taken(SILENT))
    expect(Object.values(ends).every(({ error }) => error === null)).toBe(true)

    await pass(60_000)
    const before = names().length
    sendMany(9)
    expect(names()).toHaveLength(before + 2)
    await answer(taken(SILENT), 1)
    expect(names()).toHaveLength(before + 4)
  })

  test.each([
    ['says nothing', SILENT],
    ['says when to come again', { ...SILENT, retryAfterMs: 2000 }],
    ['has announced its pace', { limit: { count: 50, windowMs: 1000 }, retryAfterMs: 1000 }],
  ])(
    'of one mail alone by a provider that %s the others go on, and it comes again behind them',
    async (_, said) => {
      const { send, sendMany, answerOf, pass, names, ends } = openPace()
      const others = ['1', '2', '3', '4', '5', '6', '7', '8']
      send('put off')
      sendMany(8)
      for (let tries = 0; tries < 10; tries++) {
        await answerOf('put off', tooMany(said))
        for (const name of others) await answerOf(name, taken({ ...said, retryAfterMs: null }))
        expect(others.map((name) => ends[name])).toEqual(
          others.map(() => ({ atMs: 0, error: null })),
        )
        send(`later ${tries}`)
        await answerOf(`later ${tries}`, taken({ ...said, retryAfterMs: null }))
        await pass(1000)
      }
      const late = Object.entries(ends).filter(([, { error }]) => error !== null)
      expect(late).toEqual([['put off', { atMs: expect.any(Number), error: REFUSAL }]])
      expect(names().filter((name) => name === 'put off').length).toBeGreaterThan(3)
      const waited = Object.entries(ends).filter(([name]) => name.startsWith('later'))
      expect(waited.map(([, { atMs }]) => atMs)).toEqual(waited.map((_, at) => 1000 * at))
    },
  )

  test('of two mails again and again keeps nobody waiting who was not refused', async () => {
    const { send, sendMany, answer, answerOf, pass, ends } = openPace()
    sendMany(2)
    await answer(taken(SILENT))
    for (const name of ['grey', 'green']) send(name)
    for (let second = 0; second < 9; second++) {
      send(`person ${second}`)
      for (const name of ['grey', 'green']) await answerOf(name, tooMany(SILENT))
      await answerOf(`person ${second}`, taken(SILENT))
      expect(ends[`person ${second}`]).toEqual({ atMs: 1000 * second, error: null })
      await pass(1000)
    }
  })

  test.each([
    ['at once', 0, 250],
    ['in a day', 86_400_000, 60_000],
  ])('a provider that says to come again %s is left alone for some time', async (_, said, ms) => {
    const { send, sendMany, answer, pass, tries } = openPace()
    sendMany(2)
    await answer(tooMany({ ...FIVE_A_SECOND, retryAfterMs: said }))
    await pass(ms - 1)
    send('third')
    expect(tries).toHaveLength(2)
    await pass(1)
    expect(tries[2]?.name).toBe('third')
  })

  test('a mail that cannot be in time any more is refused at once, with what the provider said', async () => {
    const { sendMany, send, answer, ends } = openPace()
    sendMany(6)
    await answer(tooMany({ ...FIVE_A_SECOND, retryAfterMs: 9000 }))
    expect(Object.keys(ends)).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(ends['1']).toEqual({ atMs: 0, error: REFUSAL })
    expect(ends['6']?.error).toMatchObject({ outage: 'email', answered: true })
    send('later')
    await turn()
    expect(ends['later']?.error).toMatchObject({ outage: 'email', answered: true })
  })

  test('no try begins in the last second, and every one has what is left of the ten', async () => {
    const { send, answer, pass, tries, ends } = openPace()
    send('first')
    await answer(taken({ ...SILENT, limit: { count: 1, windowMs: 8000 } }))
    send('second')
    send('third')
    await pass(8000)
    expect(tries[1]).toEqual({ name: 'second', atMs: 8000, timeLeftMs: 2000 })
    await pass(1000)
    expect(ends['third']).toMatchObject({ atMs: 9000, error: { outage: 'email' } })
  })
})

test('what a try throws ends its own mail, and lets the others go on', async () => {
  const { sendMany, fail, answer, ends } = openPace()
  const fault = new Error('a bug')
  sendMany(2)
  await fail(fault)
  await answer(taken())
  expect(ends).toEqual({ 1: { atMs: 0, error: fault }, 2: { atMs: 0, error: null } })
})
