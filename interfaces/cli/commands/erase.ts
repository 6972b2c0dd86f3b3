import {
  type Erasure,
  type ErasureRefusal,
  eraseEmail,
} from '../../../application/customers/erase-email.ts'
import type { KeptRecords } from '../../../application/store.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION, YES_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-command.ts'
import { EXIT } from '../exit-codes.ts'

export const eraseCommand: Command<{ readonly email: Email; readonly yes: boolean }> = {
  name: 'erase',
  summary: 'forget an address, but for what the books need',
  operands: ['EMAIL'],
  options: [YES_OPTION, JSON_OPTION],
  details: `Takes EMAIL out of the database: its codes, verification and log-outs go, and in what the books need
(purchases, grants, refunds, disputes, messages about them and the audit trail) an anonymous name
takes its place. Premium ends with it, and every token; of these a digest stays for 90 days, or for
TOKEN_TTL where that is longer, so that none comes back to life. A payment page that is open is
closed at the payment provider first; while a payment is on its way, or the provider cannot be asked
about such a page, nothing is erased and the exit code is 1. An address that nobody knows is no
failure. The payment provider, the mail provider and backups made before keep what they have: after
restoring such a backup, erase again. Asks first at a terminal.
Needs the settings of the service, and works while the service runs.`,
  parse(operands, { yes }) {
    const asked = parseEmailOperand('erase', operands)
    return 'usageError' in asked ? asked : { ...asked, yes: yes === true }
  },
  run: (context, { email, yes }) =>
    context.withPorts((ports) => {
      const confirm = (question: string) => context.confirm(question, { yes })
      return erase({ ...context, ports, email, confirm })
    }),
}

const REFUSAL_WORDS: Readonly<Record<ErasureRefusal, string>> = {
  payment_processing: 'a payment is on its way: try again once it has come or failed',
  paid_meanwhile:
    'it was paid for just now, before its page could be closed: run it again to erase it all the same',
  page_opened: 'a payment page was opened just now: try again',
  provider_unavailable:
    'the payment provider cannot be asked, so that its payment page may still be open: try again later',
}

const KEPT_WORDS: Readonly<Record<keyof KeptRecords, readonly [one: string, many: string]>> = {
  purchases: ['purchase', 'purchases'],
  operatorGrants: ['grant by hand', 'grants by hand'],
  refunds: ['refund', 'refunds'],
  disputes: ['dispute', 'disputes'],
  messages: ['message about payments', 'messages about payments'],
  auditEntries: ['audit entry', 'audit entries'],
  sandboxSessions: ['sandbox session', 'sandbox sessions'],
}

/** Erases an address once that is confirmed, and says what is kept and why. Exits 1 where nothing was erased. */
export async function erase({
  ports,
  email,
  json,
  confirm,
  print,
  printError,
}: Pick<CommandContext, 'json' | 'print' | 'printError'> & {
  ports: Parameters<typeof eraseEmail>[0]
  email: Email
  /** Whether to go on. */
  confirm: (question: string) => Promise<boolean>
}): Promise<number> {
  const question = `Erase ${email}? Its premium and its log-ins end, and nothing brings them back.`
  if (!(await confirm(question))) {
    printError('alibi: nothing was erased')
    return EXIT.failed
  }

  const erasure = await eraseEmail(ports, email)
  if (json) print(JSON.stringify({ email, ...erasure }))
  else if (erasure.outcome === 'unknown') print(`Nothing is stored about ${email}.`)
  else if (erasure.outcome === 'erased') print(describeErased(email, erasure))
  if (erasure.outcome !== 'refused') return EXIT.done

  const { reason, purchase } = erasure
  printError(`alibi: nothing was erased: ${REFUSAL_WORDS[reason]} (purchase ${purchase})`)
  return EXIT.failed
}

function describeErased(
  email: Email,
  { name, kept, awaitReview }: Extract<Erasure, { outcome: 'erased' }>,
): string {
  const lines = [
    `Erased ${email}: its codes, verification and log-outs are deleted, its premium and its tokens have ended.`,
  ]
  const counts = Object.entries(kept).filter(([, count]) => count > 0)
  if (counts.length > 0) {
    const words = counts.map(([kind, count]) => {
      const [one, many] = KEPT_WORDS[kind as keyof KeptRecords]
      return `${count} ${count === 1 ? one : many}`
    })
    lines.push(`Kept for the books, as ${name} instead: ${words.join(', ')}.`)
  }
  lines.push(
    'The payment provider, the mail provider, logs elsewhere and backups made before keep what they have.',
  )
  for (const id of awaitReview) {
    lines.push(`Purchase ${id} still waits for you: see "alibi purchases show ${id}".`)
  }
  return lines.join('\n')
}
