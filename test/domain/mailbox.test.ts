import { describe, expect, test } from 'bun:test'
import { parseEmail } from '../../domain/email.ts'
import { mailboxOf } from '../../domain/mailbox.ts'

describe('the mailbox of an address', () => {
  test.each([
    ['anna@example.com', 'anna@example.com'],
    ['anna+shop@example.com', 'anna@example.com'],
    ['anna+shop+more@example.com', 'anna@example.com'],
    ['anna+@example.com', 'anna@example.com'],
    ['a.n.n.a@example.com', 'a.n.n.a@example.com'],
    ['+anna@example.com', '+anna@example.com'],
    ['a.nn.a@gmail.com', 'anna@gmail.com'],
    ['a.nn.a+shop.1@gmail.com', 'anna@gmail.com'],
    ['Anna@GoogleMail.com', 'anna@gmail.com'],
    ['anna@mail.gmail.com', 'anna@mail.gmail.com'],
  ])('%s is %s', (address, mailbox) => {
    expect(mailboxOf(parseEmail(address)) as string).toBe(mailbox)
  })
})
