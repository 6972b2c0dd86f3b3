import { expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { watchReadiness } from '../../../application/upkeep/watch-readiness.ts'
import { recordingLog } from '../../support/fakes.ts'

/** A database whose health is played, and a clock that only the test moves. */
function setup() {
  let nowMs = 1000
  const log = recordingLog()
  const database = {
    answers: true,
    commits: true,
    hasFailed: false,
    fault: null as Error | null,
    tries: 0,
  }
  const refuse = (reason: string) => {
    throw new Unavailable('storage', { cause: new Error(reason) })
  }
  const isReady = watchReadiness(
    {
      databaseHealth: {
        async check() {
          if (database.fault) throw database.fault
          if (!database.answers) refuse('gone')
        },
        async checkWritable() {
          database.tries++
          await Promise.resolve()
          if (!database.commits) refuse('disk full')
        },
        lastWriteFailed: () => database.hasFailed,
      },
      log,
    },
    { monotonicMs: () => nowMs },
  )
  return {
    isReady,
    database,
    lines: log.lines,
    pass(milliseconds: number) {
      nowMs += milliseconds
    },
  }
}

test('however often it is asked, there is one commit in five seconds', async () => {
  const { isReady, database, pass } = setup()
  expect(await Promise.all([isReady(), isReady(), isReady()])).toEqual([true, true, true])
  for (let asked = 0; asked < 100; asked++) {
    pass(49)
    expect(await isReady()).toBe(true)
  }
  expect(database.tries).toBe(1)
  pass(100)
  await isReady()
  expect(database.tries).toBe(2)
})

test('a commit that fails makes it not ready, and a second later it is tried again', async () => {
  const { isReady, database, pass } = setup()
  database.commits = false
  expect(await isReady()).toBe(false)
  database.commits = true
  pass(999)
  expect(await isReady()).toBe(false)
  pass(1)
  expect(await isReady()).toBe(true)
  expect(database.tries).toBe(2)
})

test('a database that does not answer is noticed at once, whenever the last commit was', async () => {
  const { isReady, database, pass } = setup()
  expect(await isReady()).toBe(true)
  database.answers = false
  expect(await isReady()).toBe(false)
  database.answers = true
  pass(1000)
  expect(await isReady()).toBe(true)
})

test('a write that has failed is looked into at once, and while it fails once a second', async () => {
  const { isReady, database, pass } = setup()
  expect(await isReady()).toBe(true)
  database.hasFailed = true
  expect(await isReady()).toBe(true)
  expect(database.tries).toBe(2)
  database.commits = false
  for (let asked = 0; asked < 100; asked++) {
    expect(await isReady()).toBe(false)
    pass(10)
  }
  expect(database.tries).toBe(3)
})

test('the service logs once why it is not ready, and once that it is ready again', async () => {
  const { isReady, database, lines, pass } = setup()
  await isReady()
  database.commits = false
  for (let asked = 0; asked < 20; asked++) {
    pass(5000)
    await isReady()
  }
  database.commits = true
  for (let asked = 0; asked < 20; asked++) {
    pass(5000)
    await isReady()
  }
  expect(lines).toEqual([
    { level: 'warn', event: 'readiness.lost', fields: { reason: 'Error: disk full' } },
    { level: 'info', event: 'readiness.restored', fields: {} },
  ])
})

test('a fault is no outage, and is passed on; the next one to ask gets a new answer', async () => {
  const { isReady, database } = setup()
  database.fault = new TypeError('a slip')
  await expect(isReady()).rejects.toThrow('a slip')
  database.fault = null
  expect(await isReady()).toBe(true)
})
