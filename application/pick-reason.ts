import type { Language } from '../domain/language.ts'
import type { Ports } from './ports.ts'

/** An excuse in the language, each as likely as any other. */
export function pickReason(ports: Pick<Ports, 'content' | 'secrets'>, language: Language): string {
  const reasons = ports.content.reasons(language)
  const reason = reasons[ports.secrets.randomIndex(reasons.length)]
  if (reason === undefined) throw new Error(`no excuses in ${language}`)
  return reason
}
