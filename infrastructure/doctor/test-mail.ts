import type { Clock } from '../../application/ports.ts'
import type { Email } from '../../domain/email.ts'

export type MailQuestion = {
  /** EMAIL_FROM. */
  readonly from: string
  readonly publicUrl: string | null
  /** Null sends none. */
  readonly mailTo: Email | null
  readonly clock: Clock
  readonly timeoutMs: number
}

/** The mail of `alibi doctor --mail-to`. */
export function testMailTo(
  to: Email,
  { from, publicUrl }: { from: string; publicUrl: string | null },
): { from: string; to: string; subject: string; text: string; headers: Record<string, string> } {
  return {
    from,
    to,
    subject: 'A test mail from Alibi',
    text: [
      `This is the test mail that "alibi doctor --mail-to" was asked for${publicUrl === null ? '' : `, at ${publicUrl}`}.`,
      'It has come, so mails with codes come as well. There is nothing to do.',
    ].join('\n\n'),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
