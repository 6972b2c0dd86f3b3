import {
  auditRecord,
  DISCREPANCY_KINDS,
  type Discrepancy,
  type DiscrepancyKind,
  type LedgerRecord,
} from '../../domain/ledger.ts'
import type { Ports } from '../ports.ts'
import { LEDGER_PARTS, type LedgerPart } from '../store.ts'
import type { Stopping } from './leadership.ts'

/** So few at once that on SQLite, where nothing else happens meanwhile, nobody waits for long. */
const PAGE_SIZE = 100

/** Lines of one run in the log. The command prints them all. */
const LINES_MAX = 50

type Walk = {
  /** Lets others do their work. */
  readonly pause: () => Promise<void>
  readonly stopping: Stopping
}

/**
 * Compares all records of money and access with one another, page by page, and tells of each that does not fit. Asks no
 * provider and stores nothing. A change that comes meanwhile is no discrepancy: what is compared is of one moment.
 * Stops between two pages once `stopping` is aborted. Throws `Unavailable('storage')`.
 */
export async function* auditLedger(
  { ledger, clock }: Pick<Ports, 'ledger' | 'clock'>,
  { pause, stopping }: Walk,
): AsyncGenerator<Discrepancy> {
  const trailBegan = await ledger.findBeginning()
  for (const part of LEDGER_PARTS) {
    for await (const page of readPages(ledger, part, { pause, stopping })) {
      const now = clock.now()
      yield* page.flatMap((record) => auditRecord(record, { trailBegan, now }))
    }
  }
}

async function* readPages(
  ledger: Ports['ledger'],
  part: LedgerPart,
  { pause, stopping }: Walk,
): AsyncGenerator<readonly LedgerRecord[]> {
  let after: LedgerRecord['id'] | null = null
  while (!stopping.aborted) {
    const page: readonly LedgerRecord[] = await ledger.list(part, { after, limit: PAGE_SIZE })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_SIZE) return
    after = last.id
    await pause()
  }
}

/** As `auditLedger`, by itself: the log and the monitoring hear of it. A run that was cut short counts for nothing. */
export async function auditInBackground(
  ports: Pick<Ports, 'ledger' | 'clock' | 'sweeps' | 'log' | 'telemetry'>,
  walk: Walk,
): Promise<void> {
  const startedAt = ports.clock.now()
  const counts = Object.fromEntries(DISCREPANCY_KINDS.map((kind) => [kind, 0])) as Record<
    DiscrepancyKind,
    number
  >
  let found = 0
  for await (const discrepancy of auditLedger(ports, walk)) {
    counts[discrepancy.kind]++
    found++
    if (found <= LINES_MAX) ports.log('audit.discrepancy', { ...discrepancy })
  }
  if (walk.stopping.aborted) return
  await ports.sweeps.recordRun('audit', startedAt)
  ports.telemetry.record({ kind: 'audit_ended', startedAt, counts })
  ports.log('audit.ended', { discrepancies: found, ms: msSince(ports, startedAt) })
}

function msSince({ clock }: Pick<Ports, 'clock'>, startedAt: Date): number {
  return clock.now().getTime() - startedAt.getTime()
}
