import type { LineOf } from '../cli/command-line.ts'
import { showPurchase, showPurchases } from '../cli/commands/purchases.ts'
import { reconcile } from '../cli/commands/reconcile.ts'
import { untilSignal } from '../cli/stop-signal.ts'
import type { CommandContext } from './command-context.ts'
import { withPorts, withStore } from './open-store.ts'

export async function runPaymentCommand(
  context: CommandContext,
  line: LineOf<'purchases' | 'purchases show' | 'reconcile'>,
): Promise<number> {
  switch (line.command) {
    case 'purchases':
      return withStore(context, (ports) => showPurchases({ ...context, ports, ...line }))
    case 'purchases show':
      return withPorts(context, (ports) => showPurchase({ ...context, ports, ...line }))
    case 'reconcile': {
      const { stopping } = untilSignal('SIGTERM', 'SIGINT')
      return withPorts(context, (ports) => reconcile({ ...context, ports, ...line, stopping }))
    }
  }
}
