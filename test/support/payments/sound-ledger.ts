import { expect } from 'bun:test'
import type { Ports } from '../../../application/ports.ts'
import { auditLedger } from '../../../application/upkeep/audit-ledger.ts'
import type { Discrepancy } from '../../../domain/ledger.ts'

type Audited = Pick<Ports, 'ledger' | 'clock'>

/** What the command would print. */
export function findDiscrepancies(ports: Audited): Promise<Discrepancy[]> {
  const walk = { pause: async () => {}, stopping: { aborted: false } }
  return Array.fromAsync(auditLedger(ports, walk))
}

/** What the service itself has made fits together, whatever has happened. */
export async function checkLedger(ports: Audited): Promise<void> {
  expect(await findDiscrepancies(ports)).toEqual([])
}
