import type { Ports } from '../../../application/ports.ts'
import { auditLedger } from '../../../application/upkeep/audit-ledger.ts'
import type { Discrepancy } from '../../../domain/ledger.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'

export const auditCommand: Command = {
  name: 'audit',
  summary: 'check that payments, grants and the audit trail fit together',
  operands: [],
  options: [JSON_OPTION],
  details: `Compares what is stored: every grant with its cause, every payment with its grant and its mail,
every refund and dispute with its purchase, and the audit trail with all of them. Prints nothing
and exits 0 where all of it fits. Else prints a line for each discrepancy (its kind, what is wrong,
what it belongs to, and how) and exits 1; with --json each line is an object of its own (NDJSON).
docs/payments.md says what is compared, and what to do about each kind. Asks no provider, changes
nothing, and may run beside the service, which does the same every day.
Needs no setting but DATABASE_URL.`,
  parse: () => ({}),
  run: (context) => context.withStore((ports) => audit({ ...context, ports })),
}

/** Prints each discrepancy as soon as it is found. */
export async function audit({
  ports,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  ports: Pick<Ports, 'ledger' | 'clock'>
}): Promise<number> {
  let isSound = true
  const walk = { pause: async () => {}, stopping: { aborted: false } }
  for await (const discrepancy of auditLedger(ports, walk)) {
    isSound = false
    if (json) print(JSON.stringify(discrepancy))
    else print(describeDiscrepancy(discrepancy))
  }
  return isSound ? EXIT.done : EXIT.failed
}

function describeDiscrepancy({ kind, id, belongsTo, detail }: Discrepancy): string {
  const owner = belongsTo === id ? '' : ` (${belongsTo})`
  return `${kind} ${id}${owner}: ${detail}`
}
