import { listGrants } from '../../../application/customers/list-grants.ts'
import type { DatedGrant } from '../../../application/store.ts'
import { isActive } from '../../../domain/premium-grant.ts'
import { EXIT } from '../exit-codes.ts'
import { describeGrant } from '../payment-words.ts'
import { padCells } from '../text-layout.ts'

/** Wide enough for ids of ours and ordinary addresses: no row waits for a wider one. */
const LIST_WIDTHS = [32, 11, 24, 32]
const HEADER = ['ID', 'GIVEN', 'SINCE', 'ADDRESS', 'STATE']

/** Lists every grant, oldest first, each as soon as it is read. */
export async function grants({
  ports,
  json,
  print,
}: {
  ports: Parameters<typeof listGrants>[0]
  json: boolean
  print: (text: string) => void
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
