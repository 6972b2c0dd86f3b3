import { describe, expect, onTestFinished, test } from 'bun:test'
import { createEmulator } from 'emulate'
import { type Email, parseEmail } from '../../../domain/email.ts'
import { checkMail } from '../../../infrastructure/doctor/mail.ts'
import { fixedClock } from '../../support/fakes.ts'
import { linesOf } from '../../support/findings.ts'
import { serveSilence } from '../../support/http/probed-servers.ts'
import { refusal, startMailbox } from '../../support/mailbox.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 150
const BEN = parseEmail('ben@example.com')

async function found(
  baseUrl: string,
  { mailTo = null, timeoutMs = PATIENCE_MS }: { mailTo?: Email | null; timeoutMs?: number } = {},
) {
  const from = 'Alibi <hello@Alibi.Example>'
  const around = { from, publicUrl: null, mailTo, clock: fixedClock(), timeoutMs }
  return linesOf(await checkMail({ provider: 'resend', apiKey: 're_1', baseUrl }, around))
}

function openMailbox() {
  const mailbox = startMailbox()
  onTestFinished(() => mailbox.stop())
  return mailbox
}

describe('the check of Resend', () => {
  test('tells whether the sender’s domain is verified, as no subdomain is with it', async () => {
    const mailbox = openMailbox()
    const { domains, url } = mailbox
    expect(await found(url)).toEqual([
      'failed mail: Resend does not know alibi.example, the domain of EMAIL_FROM: it knows none',
    ])
    domains.push({ name: 'mail.alibi.example', status: 'verified' })
    expect(await found(url)).toEqual([expect.stringMatching(/: it knows mail\.alibi\.example$/)])
    domains.push({ name: 'Alibi.example', status: 'pending' })
    expect(await found(url)).toEqual([
      'failed mail: alibi.example, the domain of EMAIL_FROM, is not verified (pending)',
    ])
    domains.splice(0, 2, { name: 'alibi.example', status: 'verified' })
    expect(await found(url)).toEqual(['ok mail: the key works, and alibi.example is verified'])
  })

  test.each<[string, () => Response, RegExp]>([
    [
      'a key for sending alone',
      () => refusal(401, 'restricted_api_key'),
      /^warning mail: the key may send, and nothing else/,
    ],
    [
      'a key that counts no more',
      () => refusal(403, 'invalid_api_key'),
      /^failed mail: Resend refuses RESEND_API_KEY \(HTTP 403\)$/,
    ],
    [
      'an outage',
      () => refusal(500, 'internal_server_error'),
      /^failed mail: Resend cannot be asked: it answers HTTP 500$/,
    ],
    ['a list that is none', () => Response.json({ data: 'x' }), /makes no sense$/],
    ['a list of something else', () => Response.json({ data: [{ id: 1 }] }), /makes no sense$/],
  ])('tells %s from the others', async (_, answer, line) => {
    const mailbox = openMailbox()
    mailbox.answerDomains(answer)
    expect(await found(mailbox.url)).toEqual([expect.stringMatching(line)])
  })

  test('is the same where others play Resend', async () => {
    const emulator = await createEmulator({ service: 'resend', port: 0 })
    onTestFinished(() => emulator.close())
    const headers = { authorization: 'Bearer re_1', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'alibi.example' })
    await fetch(`${emulator.url}/domains`, { method: 'POST', headers, body })
    expect(await found(emulator.url, { mailTo: BEN })).toEqual([
      'failed mail: alibi.example, the domain of EMAIL_FROM, is not verified (pending)',
      expect.stringMatching(/^ok mail: a test mail is on its way/),
    ])
  })

  test('sends a test mail with a key that may only send, and fails where that is refused', async () => {
    const mailbox = openMailbox()
    mailbox.answerDomains(() => refusal(401, 'restricted_api_key'))
    expect(await found(mailbox.url, { mailTo: BEN })).toEqual([
      expect.stringMatching(/^ok mail: a test mail is on its way/),
    ])
    mailbox.answerDomains(() => refusal(401, 'restricted_api_key'))
    mailbox.refuse(() => refusal(401, 'restricted_api_key'))
    expect(await found(mailbox.url, { mailTo: BEN })).toEqual([
      'failed mail: Resend refuses the test mail (HTTP 401)',
    ])
  })

  test('fails where Resend is not there, and in time where it does not answer', async () => {
    const mailbox = openMailbox()
    mailbox.stop()
    expect(await found(mailbox.url)).toEqual([
      'failed mail: Resend cannot be asked: no connection, or an answer that makes no sense',
    ])
    const { url, isAsked } = serveSilence()
    const silence = () => found(url, { timeoutMs: TIMEOUT_MS })
    expect(await whenLate(TIMEOUT_MS, silence, isAsked)).toEqual([
      'failed mail: Resend cannot be asked: no answer within 0.15 s',
    ])
  })
})

test('mails that are only shown need no provider', async () => {
  const around = { from: 'a@b.example', publicUrl: null, mailTo: null, clock: fixedClock() }
  const findings = await checkMail({ provider: 'console' }, { ...around, timeoutMs: 1 })
  expect(linesOf(findings)).toEqual(['ok mail: shown on the console'])
})
