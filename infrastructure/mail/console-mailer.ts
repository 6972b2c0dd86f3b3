import type { Content, Mailer } from '../../application/ports.ts'
import type { Email } from '../../domain/email.ts'
import type { EmailContent } from './mail-layout.ts'
import { otpEmail } from './otp-email.ts'
import { paymentEmail } from './payment-email.ts'

/** Shows mails on the console instead of sending them, codes included: for development only. */
export function consoleMailer({
  write,
  content,
  publicUrl,
}: {
  write: (text: string) => void
  content: Content
  publicUrl: string
}): Mailer {
  const host = new URL(publicUrl).hostname

  function show(to: Email, { subject, text }: EmailContent): void {
    const lines = [`To: ${to}`, `Subject: ${subject}`, '', ...text.split('\n')]
    write(['┌─ mail', ...lines.map((line) => `│ ${line}`.trimEnd()), '└─', ''].join('\n'))
  }

  return {
    async sendOtp({ to, code, language: wanted, validForMs }) {
      const { language, strings } = content.in(wanted)
      show(to, otpEmail({ code, language, validForMs, host, strings }))
    },
    async sendPaymentNotice(notice) {
      const { language, strings } = content.in(notice.language)
      show(notice.to, paymentEmail({ ...notice, language }, { publicUrl, strings }))
    },
  }
}
