import { dryRun } from '../../../application/reconciling/dry-run.ts'
import { callPace, pacedPayments } from '../../../application/reconciling/paced-payments.ts'
import {
  reconcilePayments,
  type SweepReport,
} from '../../../application/reconciling/reconcile-payments.ts'
import type { Tally } from '../../../application/reconciling/sweep-step.ts'
import { SWEEP_NAMES } from '../../../application/store.ts'
import { parseDuration } from '../../../domain/duration.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, type Option } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'
import { spaced } from '../payment-words.ts'
import { untilSignal } from '../stop-signal.ts'
import { alignColumns } from '../text-layout.ts'

/** How far back anything can be looked for. */
const SINCE_MAX = '3650d'
const SINCE_MAX_MS = parseDuration(SINCE_MAX) ?? 0

const SINCE_OPTION = {
  name: 'since',
  type: 'string',
  needs: `a duration such as 45s, 10m, 12h or 30d, at most ${SINCE_MAX}`,
  value: 'DURATION',
  summary: `look back at least so far: 45s, 10m, 12h, 30d, at most ${SINCE_MAX}`,
} as const satisfies Option

const DRY_RUN_OPTION: Option = {
  name: 'dry-run',
  type: 'boolean',
  summary: 'only say what would be repaired',
}

type Asked = {
  /** How far back to look, in milliseconds; null for as far as is due. */
  readonly sinceMs: number | null
  /** Whether nothing is stored. */
  readonly dryRun: boolean
}

export const reconcileCommand: Command<Asked> = {
  name: 'reconcile',
  summary: 'ask the payment provider for what it failed to report',
  operands: [],
  options: [SINCE_OPTION, DRY_RUN_OPTION, JSON_OPTION],
  details: `Compares the purchases, refunds and disputes with the payment provider's records and repairs what
differs, as the service does by itself; it works while the service runs. Each kind of record is
looked at from some days before the last run on; --since looks further back. Prints what each sweep
checked and repaired. --dry-run stores nothing and says what would be repaired; what two sweeps come
upon then counts in both. SIGTERM and SIGINT end it after the object under way; the next run sees
what it missed. Exits 0 when every sweep was finished and nothing failed, else 1.
Needs the settings of the service.`,
  parse(_, { since, 'dry-run': isDryRun }) {
    const sinceMs = typeof since === 'string' ? parseDuration(since) : null
    if (since !== undefined && (sinceMs === null || sinceMs > SINCE_MAX_MS)) {
      return { usageError: `--since needs ${SINCE_OPTION.needs}` }
    }
    return { sinceMs, dryRun: isDryRun === true }
  },
  run(context, asked) {
    const { stopping } = untilSignal('SIGTERM', 'SIGINT')
    return context.withPorts((ports) => reconcile({ ...context, ...asked, ports, stopping }))
  },
}

/** Asks the provider now for all that it failed to report, and prints the result of each sweep. */
export async function reconcile({
  ports,
  sinceMs,
  dryRun: isDryRun,
  json,
  print,
  printError,
  progress,
  monotonicMs,
  wait,
  stopping,
}: Pick<CommandContext, 'json' | 'print' | 'printError' | 'progress' | 'wait' | 'monotonicMs'> & {
  ports: Parameters<typeof reconcilePayments>[0]
  sinceMs: number | null
  /** Whether nothing is stored. */
  dryRun: boolean
  stopping: AbortSignal
}): Promise<number> {
  const payments = pacedPayments(ports.payments, callPace({ monotonicMs, wait }))
  const paced = { ...ports, payments }
  const begun = await reconcilePayments(isDryRun ? dryRun(paced) : paced, {
    only: 'all',
    sinceMs: sinceMs ?? 0,
    stopping,
    onProgress: (report) => progress(describeProgress(report, isDryRun)),
  }).finally(() => progress(null))

  const sweeps = SWEEP_NAMES.map(
    (name) => begun.find(({ sweep }) => sweep === name) ?? unbegun(name),
  )
  const isComplete = sweeps.every(({ finished, failed }) => finished && failed === 0)
  if (json) print(JSON.stringify({ dryRun: isDryRun, complete: isComplete, sweeps }))
  else print(formatText(sweeps, isDryRun))
  if (isComplete) return EXIT.done
  printError(
    stopping.aborted
      ? 'alibi: stopped before the end'
      : 'alibi: not everything could be looked at: mend what the lines above say, and run it again',
  )
  return EXIT.failed
}

function unbegun(sweep: SweepReport['sweep']): SweepReport {
  return { sweep, checked: 0, repaired: 0, failed: 0, finished: false }
}

function describeProgress({ sweep, ...tally }: SweepReport, isDryRun: boolean): string {
  return `${spaced(sweep)}: ${countWords(tally, isDryRun).join(', ')}`
}

function formatText(sweeps: readonly SweepReport[], isDryRun: boolean): string {
  const rows = sweeps.map(({ sweep, finished, ...tally }) => [
    spaced(sweep),
    ...countWords(tally, isDryRun),
    finished ? 'finished' : 'not finished',
  ])
  return alignColumns(rows).join('\n')
}

function countWords({ checked, repaired, failed }: Tally, isDryRun: boolean): readonly string[] {
  const repairs = `${isDryRun ? 'would repair' : 'repaired'} ${repaired}`
  return [`checked ${checked}`, repairs, `failed ${failed}`]
}
