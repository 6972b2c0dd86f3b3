import { expect, test } from 'bun:test'
import type { Email } from '../../../domain/email.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { consoleMailer } from '../../../infrastructure/mail/console-mailer.ts'

function openConsole() {
  const written: string[] = []
  const mailer = consoleMailer({
    write: (text) => void written.push(text),
    content: builtInContent(),
    publicUrl: 'http://localhost:3000',
  })
  return { mailer, written }
}

test('a code is shown whole: its address, its subject and its text', async () => {
  const { mailer, written } = openConsole()
  await mailer.sendOtp({
    to: 'anna@example.com' as Email,
    code: '012345' as OtpCode,
    language: 'en',
    validForMs: 600_000,
    isCustomer: false,
  })

  expect(written.join('')).toBe(`┌─ mail
│ To: anna@example.com
│ Subject: 012345 is your Alibi code
│
│ Enter this code to continue:
│
│ 012345
│
│ The code is valid for 10 minutes.
│ Please don’t share it with anyone. Nobody at Alibi will ever ask you for it.
│
│ If you didn’t ask for a code, you can ignore this email.
│
│ @localhost #012345
└─
`)
})

test('a payment notice is shown whole', async () => {
  const { mailer, written } = openConsole()
  await mailer.sendPaymentNotice({
    kind: 'payment_failed',
    key: 'payment_failed:pur_1' as OutboxKey,
    to: 'anna@example.com' as Email,
    language: 'en',
    amount: { amount: 400, currency: 'eur' },
  })

  expect(written.join('')).toBe(`┌─ mail
│ To: anna@example.com
│ Subject: Your Alibi payment didn’t go through
│
│ Your payment of €4.00 didn’t go through. No money was taken.
│
│ You can try again here:
│ http://localhost:3000/app
└─
`)
})
