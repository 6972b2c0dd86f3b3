import {
  type Erasure,
  type ErasureRefusal,
  eraseEmail,
} from '../../../application/customers/erase-email.ts'
import type { KeptRecords } from '../../../application/store.ts'
import type { Email } from '../../../domain/email.ts'
import { EXIT } from '../exit-codes.ts'

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
  complain,
}: {
  ports: Parameters<typeof eraseEmail>[0]
  email: Email
  json: boolean
  /** Whether to go on. */
  confirm: (question: string) => Promise<boolean>
  print: (text: string) => void
  complain: (text: string) => void
}): Promise<number> {
  const question = `Erase ${email}? Its premium and its log-ins end, and nothing brings them back.`
  if (!(await confirm(question))) {
    complain('alibi: nothing was erased')
    return EXIT.failed
  }

  const erasure = await eraseEmail(ports, email)
  if (json) print(JSON.stringify({ email, ...erasure }))
  else if (erasure.outcome === 'unknown') print(`Nothing is stored about ${email}.`)
  else if (erasure.outcome === 'erased') print(describeErased(email, erasure))
  if (erasure.outcome !== 'refused') return EXIT.done

  const { reason, purchase } = erasure
  complain(`alibi: nothing was erased: ${REFUSAL_WORDS[reason]} (purchase ${purchase})`)
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
