import { describe, expect, test } from 'bun:test'
import { systemdSupervisor } from '../../../infrastructure/systemd/systemd-supervisor.ts'
import { recordingLog } from '../../support/fakes.ts'

const PID = 4711
const NAME = '/run/systemd/notify'

/** A supervisor whose messages are kept; each of the `failures` stands for a way that is closed. */
function supervise(env: Record<string, string>, { failures = 0 } = {}) {
  const opened: string[] = []
  const messages: string[] = []
  const log = recordingLog()
  let isDeaf = false
  function closed(): never {
    throw new Error('closed')
  }
  const ways = [
    ...Array<typeof closed>(failures).fill(closed),
    (name: string) => {
      opened.push(name)
      return async (message: string) => {
        if (isDeaf) throw new Error('nobody listens')
        messages.push(message)
      }
    },
  ]
  const supervisor = systemdSupervisor({ env, pid: PID, log, ways })
  return { supervisor, opened, messages, log, deafen: (deaf: boolean) => (isDeaf = deaf) }
}

test('no message is sent, and no socket is opened, where systemd has not started the process', () => {
  const { supervisor, opened, log } = supervise({ WATCHDOG_USEC: '10000000' })
  supervisor.starting('opens the database', { withinMs: 1000 })
  supervisor.ready('serves')
  supervisor.pingWatchdog()
  supervisor.stopping('finishes')
  expect(opened).toEqual([])
  expect(log.lines).toEqual([])
  expect(supervisor.watchdogTimeoutMs).toBeNull()
})

test('systemd gets the messages of sd_notify(3), over one socket', () => {
  const { supervisor, opened, messages, log } = supervise({ NOTIFY_SOCKET: NAME })
  supervisor.starting('opens the database', { withinMs: 90_000 })
  supervisor.ready('serves at http://127.0.0.1:3000')
  supervisor.pingWatchdog()
  supervisor.stopping('finishes what is under way')
  expect(messages).toEqual([
    'STATUS=opens the database\nEXTEND_TIMEOUT_USEC=90000000',
    'READY=1\nSTATUS=serves at http://127.0.0.1:3000',
    'WATCHDOG=1',
    'STOPPING=1\nSTATUS=finishes what is under way',
  ])
  expect(opened).toEqual([NAME])
  expect(log.lines).toEqual([])
})

describe('a ping is waited for', () => {
  test.each([
    ['never, when it is not said', {}, null],
    ['by every process, when it is not said by which', { WATCHDOG_USEC: '10000000' }, 10_000],
    ['by this one', { WATCHDOG_USEC: '10000000', WATCHDOG_PID: String(PID) }, 10_000],
    ['by another one', { WATCHDOG_USEC: '10000000', WATCHDOG_PID: '1' }, null],
    ['never, when the time is none', { WATCHDOG_USEC: '0' }, null],
    ['never, when the time is no number', { WATCHDOG_USEC: '10s' }, null],
  ])('%s', (_, env, watchdogTimeoutMs) => {
    const { supervisor } = supervise({ NOTIFY_SOCKET: NAME, ...env })
    expect(supervisor.watchdogTimeoutMs).toBe(watchdogTimeoutMs)
  })
})

test('where the first way is closed the next one is taken, and the log says so', () => {
  const { supervisor, messages, log } = supervise({ NOTIFY_SOCKET: NAME }, { failures: 1 })
  supervisor.pingWatchdog()
  expect(messages).toEqual(['WATCHDOG=1'])
  expect(log.lines).toMatchObject([
    { level: 'warn', event: 'systemd.socket_failed', fields: { error: 'Error: closed' } },
  ])
})

test('where every way is closed the service goes on, and the log says what follows', () => {
  const log = recordingLog()
  const ways = [
    () => {
      throw new Error('closed')
    },
  ]
  const supervisor = systemdSupervisor({ env: { NOTIFY_SOCKET: NAME }, pid: PID, log, ways })
  supervisor.ready('serves')
  supervisor.pingWatchdog()
  expect(log.lines.map(({ event }) => event)).toEqual([
    'systemd.socket_failed',
    'systemd.unreachable',
  ])
})

test('messages that are not taken are logged once, and again after one was taken', async () => {
  const { supervisor, log, deafen } = supervise({ NOTIFY_SOCKET: NAME })
  const tell = async (deaf: boolean) => {
    deafen(deaf)
    supervisor.pingWatchdog()
    await Promise.resolve()
    await Promise.resolve()
  }
  for (const deaf of [true, true, false, true]) await tell(deaf)
  expect(log.lines.map(({ event }) => event)).toEqual([
    'systemd.notify_failed',
    'systemd.notify_failed',
  ])
})
