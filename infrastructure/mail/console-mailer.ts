import type { Content, Mailer } from '../../application/ports.ts'
import type { Email } from '../../domain/email.ts'
import type { EmailContent } from './mail-layout.ts'
import { otpEmailWriter } from './otp-email.ts'
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
  const writeOtpEmail = otpEmailWriter({ content, host: new URL(publicUrl).hostname })

  function show(to: Email, { subject, text }: EmailContent): void {
    const lines = [`To: ${to}`, `Subject: ${subject}`, '', ...text.split('\n')]
    write(['┌─ mail', ...lines.map((line) => `│ ${line}`.trimEnd()), '└─', ''].join('\n'))
  }

  return {
    sendOtp: async (mail) => show(mail.to, writeOtpEmail(mail)),
    async sendPaymentNotice(notice) {
      show(notice.to, paymentEmail(notice, { publicUrl, content: content.in(notice.language) }))
    },
  }
}
