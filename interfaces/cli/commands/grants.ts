import { listGrants } from '../../../application/customers/list-grants.ts'
import type { DatedGrant } from '../../../application/store.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { describeGrant } from '../payment-words.ts'
import { padCells } from '../text-layout.ts'

export const grantsCommand: Command = {
  name: 'grants',
  summary: 'list who has premium, and why',
  operands: [],
  options: [JSON_OPTION],
  details: `Prints a line for each grant that there is, bought or given: the address, since when, by what, and
whether it gives premium now. With --json each line is an object of its own (NDJSON), and there is
none when there are no grants.
Needs no setting but DATABASE_URL.`,
  parse: () => ({}),
  run: (context) => context.withStore((ports) => grants({ ...context, ports })),
}

/** Wide enough for ids of ours and ordinary addresses: no row waits for a wider one. */
const LIST_WIDTHS = [32, 11, 24, 32]
const HEADER = ['ID', 'GIVEN', 'SINCE', 'ADDRESS', 'STATE']

/** Lists every grant, oldest first, each as soon as it is read. */
export async function grants({
  ports,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  ports: Parameters<typeof listGrants>[0]
}): Promise<number> {
  let isEmpty = true
  for await (const grant of listGrants(ports)) {
    if (isEmpty && !json) print(padCells(HEADER, LIST_WIDTHS))
    isEmpty = false
    if (json) print(JSON.stringify({ ...grant, isActive: isActive(grant) }))
    else print(padCells(grantRow(grant), LIST_WIDTHS))
  }
  if (isEmpty && !json) print('There are no grants.')
  return EXIT.done
}

function grantRow(grant: DatedGrant): readonly string[] {
  const { id, email, payment, since } = grant
  const given = payment ? 'by purchase' : 'by hand'
  return [id, given, since.toISOString(), email, describeGrant(grant)]
}
