import type { Email } from '../../domain/email.ts'
import type { Language } from '../../domain/language.ts'
import type { Ports } from '../ports.ts'

/**
 * An excuse in the language, or in the default language where that one has no content. All are equally likely, except
 * the one that this reader got last: it does not come twice in a row.
 */
export function pickReason(
  ports: Pick<Ports, 'content' | 'lastReasons' | 'secrets'>,
  { email, language: wanted }: { email: Email; language: Language },
): { reason: string; language: Language } {
  const { excuses, language } = ports.content.in(wanted)
  const last = ports.lastReasons.find(email, language)
  const index = pickIndex(excuses.length, last, ports.secrets.randomIndex)
  const excuse = excuses[index]
  if (excuse === undefined) throw new Error(`no excuses in ${language}`)
  ports.lastReasons.remember(email, language, index)
  return { reason: excuse.text, language }
}

/** Uniform over all but the last one, or over all where there is no other. */
function pickIndex(
  count: number,
  last: number | null,
  randomIndex: (bound: number) => number,
): number {
  if (last === null || count === 1) return randomIndex(count)
  return (last + 1 + randomIndex(count - 1)) % count
}
