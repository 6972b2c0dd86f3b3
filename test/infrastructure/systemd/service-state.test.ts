import { describe, expect, test } from 'bun:test'
import { parseServiceState } from '../../../infrastructure/systemd/service-state.ts'

/** What systemd 257 printed. */
const RUNNING = `Type=notify
MainPID=181
NRestarts=2
NeedDaemonReload=no
StatusText=serves at http://127.0.0.1:3000, version 1.0.0
Result=success
ExecMainCode=0
ExecMainStatus=0
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
StateChangeTimestamp=Sat 2026-11-21 23:29:45 UTC
`

/** The same with other values. */
function shown(values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${value}`),
    RUNNING,
  )
}

test('a service that runs', () => {
  expect(parseServiceState(RUNNING)).toEqual({
    installed: true,
    enabled: true,
    active: true,
    state: 'active (running)',
    since: '2026-11-21T23:29:45Z',
    pid: 181,
    status: 'serves at http://127.0.0.1:3000, version 1.0.0',
    restarts: 2,
    needsReload: false,
    lastExit: null,
  })
})

test('a service that was never installed', () => {
  const nothing = {
    LoadState: 'not-found',
    ActiveState: 'inactive',
    SubState: 'dead',
    UnitFileState: '',
    MainPID: '0',
    NRestarts: '0',
    StatusText: '',
    StateChangeTimestamp: '',
  }
  expect(parseServiceState(shown(nothing))).toEqual({
    installed: false,
    enabled: false,
    active: false,
    state: 'inactive (dead)',
    since: null,
    pid: null,
    status: null,
    restarts: 0,
    needsReload: false,
    lastExit: null,
  })
})

test('a service that has stopped, of which systemd still has the last words', () => {
  const stopped = {
    ActiveState: 'inactive',
    SubState: 'dead',
    MainPID: '0',
    StatusText: 'finishes what is under way',
  }
  expect(parseServiceState(shown(stopped))).toMatchObject({
    active: false,
    pid: null,
    status: null,
  })
})

test('a unit that was changed since systemd has read it', () => {
  expect(parseServiceState(shown({ NeedDaemonReload: 'yes' })).needsReload).toBe(true)
})

test('a status has nothing in it that a terminal acts on', () => {
  const status = 'serves\u001b]0;title\u0007\tat\u009b2J all'
  expect(parseServiceState(shown({ StatusText: status })).status).toBe('serves ]0;title  at 2J all')
})

test('a status that has an equals sign in it is read whole', () => {
  expect(parseServiceState(shown({ StatusText: 'a=b=c' })).status).toBe('a=b=c')
})

test('a service that is to start with the machine again, or not', () => {
  for (const [state, enabled] of [
    ['enabled', true],
    ['disabled', false],
    ['masked', false],
  ] as const) {
    expect(parseServiceState(shown({ UnitFileState: state })).enabled).toBe(enabled)
  }
})

describe('how its last process ended', () => {
  test.each([
    ['1', '0', 'success', 'exit code 0'],
    ['1', '78', 'exit-code', 'exit code 78'],
    ['1', '1', 'timeout', 'exit code 1 (timeout)'],
    ['2', '9', 'signal', 'killed by SIGKILL'],
    ['2', '9', 'watchdog', 'killed by SIGKILL (watchdog)'],
    ['2', '9', 'oom-kill', 'killed by SIGKILL (oom-kill)'],
    ['3', '11', 'core-dump', 'killed by SIGSEGV'],
    ['0', '0', 'success', null],
  ])('code %s, status %s, result %s', (code, status, result, lastExit) => {
    const values = { ExecMainCode: code, ExecMainStatus: status, Result: result, MainPID: '0' }
    expect(parseServiceState(shown(values))).toMatchObject({ lastExit, pid: null })
  })
})
