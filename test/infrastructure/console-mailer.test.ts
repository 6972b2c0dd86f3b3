import { expect, test } from 'bun:test'
import type { Email } from '../../domain/email.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { consoleMailer } from '../../infrastructure/console-mailer.ts'
import { builtInContent } from '../../infrastructure/content.ts'

test('a mail is shown whole: its address, its subject and its text', async () => {
  const written: string[] = []
  const mailer = consoleMailer({
    write: (text) => void written.push(text),
    content: builtInContent(),
    host: 'localhost',
  })
  await mailer.sendOtp({
    to: 'anna@example.com' as Email,
    code: '012345' as OtpCode,
    language: 'en',
    validForMs: 600_000,
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
│ Nobody at Alibi will ever ask you for it. Do not share it with anyone.
│
│ If you did not ask for a code, you can ignore this e-mail.
│
│ @localhost #012345
└─
`)
})
