import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../../application/access/check-premium.ts'
import { Unavailable } from '../../../../application/unavailable.ts'
import { DAY_MS } from '../../../../domain/duration.ts'
import type { Email } from '../../../../domain/email.ts'
import { reconcile } from '../../../../interfaces/cli/commands/reconcile.ts'
import { type FakePorts, openBuyer } from '../../../support/buyers.ts'
import { fakePorts, NOON } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'
import { ANNA } from '../../../support/stores/contract-purchases.ts'

/** Every wait is over at once. */
const CLOCK = { monotonicMs: () => 0, wait: async () => {} }

async function run(
  ports: FakePorts,
  {
    sinceMs = null,
    dryRun = false,
    json = false,
    stop = new AbortController(),
    onProgress = () => {},
  }: {
    sinceMs?: number | null
    dryRun?: boolean
    json?: boolean
    stop?: AbortController
    onProgress?: () => void
  } = {},
) {
  const { lines, errorLines, print, printError } = recordedOutput()
  const shown: (string | null)[] = []
  const exitCode = await reconcile({
    ports,
    sinceMs,
    dryRun,
    json,
    print,
    printError,
    progress(line) {
      shown.push(line)
      if (line !== null) onProgress()
    },
    ...CLOCK,
    stopping: stop.signal,
  })
  return { exitCode, lines, errorLines, shown }
}

/** Two buyers who paid without a notification; one of them has had a refund. */
async function openPaid() {
  const anna = await openBuyer()
  const { ports } = anna
  const bert = await openBuyer({ ports, email: 'bert@example.com' as Email })
  anna.move('paid')
  bert.move('paid')
  const { paymentIntentId } = bert
  ports.payments.refunds.push({ id: 're_1', paymentIntentId, amount: 400, state: 'succeeded' })
  return { ports, anna, bert }
}

describe('a run', () => {
  test('repairs what differs, and says on a line what each sweep came to', async () => {
    const { ports } = await openPaid()
    const { exitCode, lines, errorLines } = await run(ports)
    expect({ exitCode, errorLines }).toEqual({ exitCode: 0, errorLines: [] })
    expect(lines).toEqual([
      'open purchases             checked 2  repaired 2  failed 0  finished',
      'completed sessions         checked 2  repaired 0  failed 0  finished',
      'undelivered notifications  checked 0  repaired 0  failed 0  finished',
      'refunds                    checked 1  repaired 1  failed 0  finished',
      'disputes                   checked 0  repaired 0  failed 0  finished',
    ])
    expect(await checkPremium(ports, ANNA)).toBe(true)
    expect(await checkPremium(ports, 'bert@example.com' as Email)).toBe(false)
  })

  test('looks at everything, also at what is not due', async () => {
    const { ports } = await openPaid()
    await run(ports)
    const { exitCode, lines } = await run(ports)
    expect(exitCode).toBe(0)
    expect(lines).toContain('completed sessions         checked 2  repaired 0  failed 0  finished')
  })

  test('looks further back on request', async () => {
    const ports = fakePorts()
    const { windows } = ports.payments
    const earliest = () => Math.min(...windows.splice(0).map(({ since }) => since.getTime()))
    await run(ports)
    expect(earliest()).toBe(NOON.getTime() - 8 * DAY_MS)
    await run(ports, { sinceMs: 90 * DAY_MS })
    expect(earliest()).toBe(NOON.getTime() - 90 * DAY_MS)
  })

  test('shows how far it is after every step, and takes that away in the end', async () => {
    const { shown } = await run((await openPaid()).ports)
    expect(shown.at(-1)).toBeNull()
    expect(shown.slice(0, -1)).toEqual([
      'open purchases: checked 1, repaired 1, failed 0',
      'open purchases: checked 2, repaired 2, failed 0',
      'open purchases: checked 2, repaired 2, failed 0',
      'completed sessions: checked 1, repaired 0, failed 0',
      'completed sessions: checked 2, repaired 0, failed 0',
      'completed sessions: checked 2, repaired 0, failed 0',
      'undelivered notifications: checked 0, repaired 0, failed 0',
      'refunds: checked 1, repaired 1, failed 0',
      'refunds: checked 1, repaired 1, failed 0',
      'disputes: checked 0, repaired 0, failed 0',
    ])
  })

  test('says the same in JSON, as one document', async () => {
    const { exitCode, lines } = await run((await openPaid()).ports, { json: true })
    expect(exitCode).toBe(0)
    expect(lines).toHaveLength(1)
    const nothing = { checked: 0, repaired: 0, failed: 0, finished: true }
    expect(JSON.parse(lines[0]!)).toEqual({
      dryRun: false,
      complete: true,
      sweeps: [
        { sweep: 'open_purchases', checked: 2, repaired: 2, failed: 0, finished: true },
        { sweep: 'completed_sessions', checked: 2, repaired: 0, failed: 0, finished: true },
        { sweep: 'undelivered_notifications', ...nothing },
        { sweep: 'refunds', checked: 1, repaired: 1, failed: 0, finished: true },
        { sweep: 'disputes', ...nothing },
      ],
    })
  })
})

describe('a dry run', () => {
  test('says what it would repair, and repairs nothing', async () => {
    const { ports, anna } = await openPaid()
    const { exitCode, lines, shown } = await run(ports, { dryRun: true })
    expect(exitCode).toBe(0)
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe(
      'open purchases             checked 2  would repair 2  failed 0  finished',
    )
    expect(lines[3]).toBe(
      'refunds                    checked 1  would repair 1  failed 0  finished',
    )
    expect(shown[0]).toBe('open purchases: checked 1, would repair 1, failed 0')
    expect(await anna.current()).toMatchObject({ state: 'open' })
    expect(await checkPremium(ports, ANNA)).toBe(false)
    expect(await ports.sweeps.findLastRun('refunds')).toBeNull()
  })

  test('says in JSON that it was one', async () => {
    const { lines } = await run((await openPaid()).ports, { dryRun: true, json: true })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ dryRun: true, complete: true }),
    ])
  })
})

describe('a run that cannot look at everything exits 1', () => {
  test('when an object makes no sense', async () => {
    const { ports } = await openPaid()
    ports.payments.unreadable.disputes.push('du_odd')
    const { exitCode, lines, errorLines } = await run(ports)
    expect(exitCode).toBe(1)
    expect(lines[4]).toBe('disputes                   checked 1  repaired 0  failed 1  finished')
    expect(errorLines).toEqual([
      'alibi: not everything could be looked at: mend what the lines above say, and run it again',
    ])
  })

  test('when the provider is out of reach', async () => {
    const { ports } = await openPaid()
    ports.payments.outage = true
    const { exitCode, lines, shown } = await run(ports)
    expect(exitCode).toBe(1)
    expect(lines).toHaveLength(5)
    expect(lines[1]).toBe(
      'completed sessions         checked 0  repaired 0  failed 0  not finished',
    )
    expect(shown.at(-1)).toBeNull()
  })

  test('and says so in JSON', async () => {
    const { ports } = await openPaid()
    ports.payments.outage = true
    const { exitCode, lines } = await run(ports, { json: true })
    expect(exitCode).toBe(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      complete: false,
      sweeps: expect.arrayContaining([expect.objectContaining({ finished: false })]),
    })
  })

  test('when the database is out of reach, which is left to be reported with its reason', async () => {
    const ports = fakePorts()
    const findLastRun = async () => {
      throw new Unavailable('storage', { cause: new Error('locked') })
    }
    const shown: (string | null)[] = []
    const failing = reconcile({
      ports: { ...ports, sweeps: { ...ports.sweeps, findLastRun } },
      sinceMs: null,
      dryRun: false,
      json: false,
      ...recordedOutput(),
      progress: (line) => void shown.push(line),
      ...CLOCK,
      stopping: new AbortController().signal,
    })
    await expect(failing).rejects.toMatchObject({ outage: 'storage' })
    expect(shown).toEqual([null])
  })
})

describe('a run that has to stop', () => {
  test('ends after the object under way, shows every sweep all the same and exits 1', async () => {
    const { ports, anna, bert } = await openPaid()
    const stop = new AbortController()
    const { exitCode, lines, errorLines } = await run(ports, {
      stop,
      onProgress: () => stop.abort(),
    })
    expect(exitCode).toBe(1)
    expect(lines).toEqual([
      'open purchases             checked 1  repaired 1  failed 0  not finished',
      'completed sessions         checked 0  repaired 0  failed 0  not finished',
      'undelivered notifications  checked 0  repaired 0  failed 0  not finished',
      'refunds                    checked 0  repaired 0  failed 0  not finished',
      'disputes                   checked 0  repaired 0  failed 0  not finished',
    ])
    expect(errorLines).toEqual(['alibi: stopped before the end'])
    expect(await anna.current()).toMatchObject({ state: 'paid' })
    expect(await bert.current()).toMatchObject({ state: 'open' })
  })

  test('before it began does nothing', async () => {
    const { ports } = await openPaid()
    const stop = new AbortController()
    stop.abort()
    const callsBefore = ports.payments.calls.length
    const { exitCode, lines } = await run(ports, { stop, json: true })
    expect(exitCode).toBe(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({ complete: false })
    expect(ports.payments.calls).toHaveLength(callsBefore)
  })
})
