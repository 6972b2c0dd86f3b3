import type { LineOf } from '../cli/command-line.ts'
import { erase } from '../cli/commands/erase.ts'
import { exportAll } from '../cli/commands/export.ts'
import { grant } from '../cli/commands/grant.ts'
import { grants } from '../cli/commands/grants.ts'
import { logout } from '../cli/commands/logout.ts'
import { revoke } from '../cli/commands/revoke.ts'
import { status } from '../cli/commands/status.ts'
import { unlock } from '../cli/commands/unlock.ts'
import type { CommandContext } from './command-context.ts'
import { confirm } from './confirmation.ts'
import { withPorts, withStore } from './open-store.ts'

export async function runCustomerCommand(
  context: CommandContext,
  line: LineOf<'grant' | 'revoke' | 'status' | 'grants' | 'logout' | 'unlock' | 'export' | 'erase'>,
): Promise<number> {
  switch (line.command) {
    case 'grant':
      return withStore(context, (ports) => grant({ ...context, ports, ...line }))
    case 'revoke':
      return withStore(context, (ports) => revoke({ ...context, ports, ...line }))
    case 'status':
      return withStore(context, (ports) => status({ ...context, ports, ...line }))
    case 'grants':
      return withStore(context, (ports) => grants({ ...context, ports }))
    case 'logout':
      return withStore(context, (ports) => logout({ ...context, ports, ...line }))
    case 'unlock':
      return withStore(context, (ports) => unlock({ ...context, ports, ...line }))
    case 'export':
      return withStore(context, (ports) => exportAll({ ...context, ports, ...line }))
    case 'erase':
      return withPorts(context, (ports) =>
        erase({
          ...context,
          ports,
          ...line,
          confirm: (question) => confirm(question, line),
        }),
      )
  }
}
