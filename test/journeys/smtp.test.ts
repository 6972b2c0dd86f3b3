import { expect, test } from 'bun:test'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
} from '../support/executable/production.ts'
import { change, stored } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import { quietPort } from '../support/quiet-port.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { decodedHtml, headerOf, startSmtpDouble } from '../support/smtp-double.ts'

const EMAIL = 'buyer@example.com'

/** The service of production that has a mail server in place of Resend. */
function settingsWith(production: Production, SMTP_URL: string): Record<string, string> {
  const { RESEND_API_KEY: _, RESEND_BASE_URL: __, ...settings } = production.settings
  return { ...settings, SMTP_URL }
}

/** A buyer who reads mails where they arrive by SMTP. */
function reader(
  alibi: AlibiProcess,
  production: Production,
  smtp: Awaited<ReturnType<typeof startSmtpDouble>>,
) {
  const { latestCode } = smtp
  return buyer(alibi, { ...production, mailbox: { ...production.mailbox, latestCode } }, EMAIL)
}

test('by SMTP a buyer comes from an address to an excuse, and the payment is confirmed once', async () => {
  await using production = await openProduction()
  const smtp = await startSmtpDouble({ login: true })
  try {
    const alibi = await production.start({ env: settingsWith(production, smtp.url) })
    const { buy, http } = reader(alibi, production, smtp)
    const { token } = await buy()
    const excuse = await http.get('/premium-reasons', token)
    expect(excuse.status).toBe(200)

    const notices = () => smtp.mails.filter(({ raw }) => decodedHtml(raw).includes('€4.00'))
    await until('the confirmation has come', () => notices().length > 0)
    expect(await alibi.stop()).toBe(0)
    expect(notices()).toHaveLength(1)
    await until('its connections are closed', () => smtp.seen.open === 0)
    expect(production.mailbox.mails).toEqual([])
    expect(alibi.output()).not.toMatch(/a p@ss|a%20p%40ss|alibi@example/)
  } finally {
    await smtp.stop()
  }
})

test('a mail server that is down is 503, and nothing has to be done once it is back', async () => {
  await using production = await openProduction()
  const gone = await startSmtpDouble({ port: await quietPort() })
  await gone.stop()
  const alibi = await production.start({ env: settingsWith(production, gone.url) })
  const { http } = buyer(alibi, production, EMAIL)
  expect(await http.post('/auth/verify-email', { email: EMAIL })).toMatchObject({
    status: 503,
    body: { error: 'Email delivery unavailable' },
  })
  const back = await startSmtpDouble({ port: gone.port })
  try {
    const answer = await http.post('/auth/verify-email', { email: EMAIL })
    expect(answer).toMatchObject({ status: 200 })
    expect(back.mails).toHaveLength(1)
  } finally {
    await back.stop()
  }
})

test('a confirmation that a killed process had handed over comes again with the same Message-ID', async () => {
  await using production = await openProduction()
  const smtp = await startSmtpDouble()
  try {
    const env = settingsWith(production, smtp.url)
    const alibi = await production.start({ env })
    const { prove, checkOut } = reader(alibi, production, smtp)
    await prove()
    const { sessionId } = await checkOut()
    const before = smtp.mails.length
    smtp.fault('taken', 'hang')
    production.double.pay(sessionId)
    await deliverAll(production)
    await until('the server has the mail', () => smtp.mails.length > before)
    await alibi.stop('SIGKILL')
    change(production, 'UPDATE outbox SET due_at = created_at')

    const again = await production.start({ env })
    await until('the mail has come again', () => smtp.mails.length > before + 1)
    await until('the mail is done', () => {
      return stored(production, 'SELECT state FROM outbox')[0]?.['state'] === 'done'
    })
    expect(await again.stop()).toBe(0)
    const ids = smtp.mails.slice(before).map((mail) => headerOf(mail, 'Message-ID'))
    expect(ids).toHaveLength(2)
    expect(ids[0]).toBe(ids[1]!)
  } finally {
    await smtp.stop()
  }
})
