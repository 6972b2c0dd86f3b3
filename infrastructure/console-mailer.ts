import type { Content, Mailer } from '../application/ports.ts'
import { otpEmail } from './otp-email.ts'

/** Shows mails on the console instead of sending them, codes included: for development only. */
export function consoleMailer({
  write,
  content,
  host,
}: {
  write: (text: string) => void
  content: Content
  host: string
}): Mailer {
  return {
    async sendOtp({ to, code, language, validForMs }) {
      const strings = content.strings(language)
      const { subject, text } = otpEmail({ code, language, validForMs, host, strings })
      const lines = [`To: ${to}`, `Subject: ${subject}`, '', ...text.split('\n')]
      write(['┌─ mail', ...lines.map((line) => `│ ${line}`.trimEnd()), '└─', ''].join('\n'))
    },
  }
}
