import { constants } from 'node:os'
import type { ServiceState } from '../../application/ports.ts'
import type { Systemctl } from './systemctl.ts'

export const UNIT_NAME = 'alibi.service'

const PROPERTIES = [
  'LoadState',
  'UnitFileState',
  'ActiveState',
  'SubState',
  'StateChangeTimestamp',
  'MainPID',
  'StatusText',
  'NRestarts',
  'NeedDaemonReload',
  'Result',
  'ExecMainCode',
  'ExecMainStatus',
]

/** The values of `si_code` in sigaction(2) that systemd passes on. */
const CLD_EXITED = '1'
const CLD_KILLED = ['2', '3']

export async function readServiceState(systemctl: Systemctl): Promise<ServiceState> {
  return parseServiceState(await systemctl('show', UNIT_NAME, `--property=${PROPERTIES.join(',')}`))
}

/** Reads what "systemctl show" prints: NAME=VALUE lines, in universal time. */
export function parseServiceState(shown: string): ServiceState {
  const pairs = shown.split('\n').map((line): [string, string] => {
    const [name = '', ...value] = line.split('=')
    return [name, value.join('=')]
  })
  const values = new Map(pairs)
  const read = (name: string) => values.get(name) ?? ''
  const active = read('ActiveState')
  const pid = Number(read('MainPID'))
  return {
    installed: !['not-found', ''].includes(read('LoadState')),
    enabled: read('UnitFileState') === 'enabled',
    active: active === 'active',
    state: `${active} (${read('SubState')})`,
    since: parseTime(read('StateChangeTimestamp')),
    pid: pid > 0 ? pid : null,
    // The service chooses this text, and a terminal would obey control characters in it.
    status: (pid > 0 && read('StatusText').replaceAll(/\p{Cc}/gu, ' ')) || null,
    restarts: Number(read('NRestarts')) || 0,
    needsReload: read('NeedDaemonReload') === 'yes',
    lastExit: describeExit(read('ExecMainCode'), read('ExecMainStatus'), read('Result')),
  }
}

/** "Sat 2026-11-21 23:09:54 UTC"; null for no time at all. */
function parseTime(shown: string): string | null {
  const [, day, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/.exec(shown) ?? []
  return day === undefined ? null : `${day}T${time}Z`
}

function describeExit(code: string, status: string, result: string): string | null {
  const because = ['exit-code', 'signal', 'success', 'core-dump'].includes(result)
    ? ''
    : ` (${result})`
  if (code === CLD_EXITED) return `exit code ${status}${because}`
  return CLD_KILLED.includes(code) ? `killed by ${signalName(Number(status))}${because}` : null
}

function signalName(number: number): string {
  const names = Object.entries(constants.signals)
  return names.find(([, one]) => one === number)?.[0] ?? `signal ${number}`
}
