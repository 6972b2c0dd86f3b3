import { withoutStoring } from '../../../application/payments/dry-run.ts'
import {
  reconcilePayments,
  type SweepReport,
} from '../../../application/payments/reconcile-payments.ts'
import type { Tally } from '../../../application/payments/sweep-step.ts'
import { SWEEP_NAMES } from '../../../application/store.ts'
import { EXIT } from '../exit-codes.ts'
import { spaced } from '../payment-words.ts'
import { alignColumns } from '../text-layout.ts'

/** Asks the provider now for all that it failed to report, and says what each sweep came to. */
export async function reconcile({
  ports,
  sinceMs,
  dryRun,
  json,
  print,
  complain,
  progress,
  stopping,
}: {
  ports: Parameters<typeof reconcilePayments>[0]
  sinceMs: number | null
  /** Whether nothing is stored. */
  dryRun: boolean
  json: boolean
  print: (text: string) => void
  complain: (text: string) => void
  /** Shows a line that the next one replaces; null takes it away. */
  progress: (line: string | null) => void
  stopping: AbortSignal
}): Promise<number> {
  const begun = await reconcilePayments(dryRun ? withoutStoring(ports) : ports, {
    only: 'all',
    sinceMs: sinceMs ?? 0,
    stopping,
    onProgress: (report) => progress(describeProgress(report, dryRun)),
  }).finally(() => progress(null))

  const sweeps = SWEEP_NAMES.map(
    (name) => begun.find(({ sweep }) => sweep === name) ?? unbegun(name),
  )
  const isComplete = sweeps.every(({ finished, failed }) => finished && failed === 0)
  if (json) print(JSON.stringify({ dryRun, complete: isComplete, sweeps }))
  else print(formatText(sweeps, dryRun))
  if (isComplete) return EXIT.done
  complain(
    stopping.aborted
      ? 'alibi: stopped before the end'
      : 'alibi: not everything could be looked at: mend what the lines above say, and run it again',
  )
  return EXIT.failed
}

function unbegun(sweep: SweepReport['sweep']): SweepReport {
  return { sweep, checked: 0, repaired: 0, failed: 0, finished: false }
}

function describeProgress({ sweep, ...tally }: SweepReport, dryRun: boolean): string {
  return `${spaced(sweep)}: ${countWords(tally, dryRun).join(', ')}`
}

function formatText(sweeps: readonly SweepReport[], dryRun: boolean): string {
  const rows = sweeps.map(({ sweep, finished, ...tally }) => [
    spaced(sweep),
    ...countWords(tally, dryRun),
    finished ? 'finished' : 'not finished',
  ])
  return alignColumns(rows).join('\n')
}

function countWords({ checked, repaired, failed }: Tally, dryRun: boolean): readonly string[] {
  const repairs = `${dryRun ? 'would repair' : 'repaired'} ${repaired}`
  return [`checked ${checked}`, repairs, `failed ${failed}`]
}
