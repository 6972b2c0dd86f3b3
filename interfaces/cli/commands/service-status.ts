import type { ServiceState } from '../../../application/ports.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { section } from '../text-layout.ts'

export const serviceStatusCommand: Command = {
  name: 'service status',
  summary: 'say whether the systemd service is installed, and how it does',
  operands: [],
  options: [JSON_OPTION],
  details: 'Exits 0 when the service runs, else 1.',
  parse: () => ({}),
  async run(context) {
    return serviceStatus({ ...context, readState: await context.openServiceState() })
  },
}

/** Says how the service does; 0 when it serves, else 1. */
export async function serviceStatus({
  readState,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  /** Null where there is no systemd to ask. */
  readState: (() => Promise<ServiceState>) | null
}): Promise<number> {
  if (readState === null) throw new Error('this machine is not run by systemd')
  const report = await readState()
  if (json) print(JSON.stringify(report))
  else print(describe(report))
  return report.active ? EXIT.done : EXIT.failed
}

function describe(report: ServiceState): string {
  const { installed, enabled, active, state, since, pid, status, restarts, needsReload, lastExit } =
    report
  if (!installed) return 'The service is not installed: sudo alibi service install'
  return section('alibi.service', [
    ['state', since === null ? state : `${state} since ${since}`],
    ['enabled', enabled ? 'yes: it starts with the machine' : 'no'],
    ...(pid === null ? [] : [['process', String(pid)]]),
    ...(status === null ? [] : [['says', status]]),
    ['restarts', String(restarts)],
    ...(lastExit === null ? [] : [['ended with', lastExit]]),
    ...(needsReload
      ? [['unit', 'changed since systemd read it: sudo systemctl daemon-reload']]
      : []),
    ...(active ? [] : [['look at', 'journalctl -u alibi -n 20']]),
  ])
}
