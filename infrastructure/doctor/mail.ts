import { type Finding, findingsOn } from '../../application/doctor/finding.ts'
import type { EmailConfig } from '../config/email-settings.ts'
import { checkResend } from './resend.ts'
import { checkSmtp } from './smtp.ts'
import type { MailQuestion } from './test-mail.ts'

/** Whether mails go out, and a test mail where one is asked for. */
export async function checkMail(
  config: EmailConfig,
  question: MailQuestion,
): Promise<readonly Finding[]> {
  switch (config.provider) {
    case 'console':
      return [findingsOn('mail').ok('shown on the console')]
    case 'resend':
      return checkResend(config, question)
    case 'smtp':
      return checkSmtp(config, question)
  }
}
