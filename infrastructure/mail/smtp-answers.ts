import type { Fault } from './fault.ts'
import type { SmtpFailure } from './smtp-connection.ts'

const SHUTTING_DOWN = 421
const THROTTLED = 454
/** The mailbox has no room for the mail: RFC 5321, section 4.2.3. */
const MAILBOX_FULL = 552
/** What a server wants of the sender that takes nothing from strangers: RFC 4954, section 6, and a refused relay. */
const OF_THE_ACCOUNT: readonly number[] = [530, 534, 535, 538, 554]
/** The sender's address, and in Exchange Online the right to send as it: https://www.rfc-editor.org/rfc/rfc3463. */
const OF_THE_SENDER: readonly (string | null)[] = ['5.1.7', '5.1.8', '5.2.252']

/**
 * Whose matter a failure is, whatever the step at which the server says so: a sender may be refused as late as behind
 * the last word. The second number of RFC 3463 says what is meant: 1 and 2 the address and its mailbox, 3 and 4 the
 * systems and the network, 5 to 7 what was said and whether that is allowed.
 */
export function faultOf({ step, reply }: SmtpFailure): Fault {
  if (reply === null || reply.status < 500) return 'provider'
  const { status, enhanced } = reply
  if (step === 'login' || step === 'tls' || OF_THE_SENDER.includes(enhanced)) return 'settings'
  const hasRecipient = step === 'recipient' || step === 'message'
  switch (enhanced?.split('.')[1]) {
    case '1':
    case '2':
      return hasRecipient ? 'recipient' : 'settings'
    case '3':
    case '4':
      return step === 'recipient' ? 'recipient' : 'provider'
    case '5':
    case '6':
    case '7':
      return 'settings'
  }
  if (step === 'recipient') return OF_THE_ACCOUNT.includes(status) ? 'settings' : 'recipient'
  return hasRecipient && status === MAILBOX_FULL ? 'recipient' : 'settings'
}

/**
 * Whether the mail may be taken a little later: the server has enough for now, of this mail or of all of them. Not
 * where it speaks of a log-in or of the recipient. 4.7.x is a policy (RFC 3463):
 * https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-smtp.html,
 * https://www.postfix.org/postconf.5.html#smtpd_client_message_rate_limit
 */
export function mayComeSoon({ step, reply }: SmtpFailure): boolean {
  if (!reply || step === 'login') return false
  const { status, enhanced } = reply
  if (status === SHUTTING_DOWN) return true
  if (step === 'recipient' || status < 400 || status >= 500) return false
  return status === THROTTLED || !!enhanced?.startsWith('4.7.')
}
