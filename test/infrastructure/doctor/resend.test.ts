import { describe, expect, onTestFinished, test } from 'bun:test'
import { createEmulator } from 'emulate'
import { parseEmail } from '../../../domain/email.ts'
import { probeResend } from '../../../infrastructure/doctor/resend.ts'
import { serveSilence } from '../../support/http/probed-servers.ts'
import { refusal, startMailbox } from '../../support/mailbox.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 150

describe('Resend', () => {
  function openMailbox() {
    const mailbox = startMailbox()
    onTestFinished(() => mailbox.stop())
    const probe = (from = 'hello@Alibi.Example') =>
      probeResend({
        apiKey: 're_1',
        baseUrl: mailbox.url,
        from,
        publicUrl: null,
        mailTo: null,
        timeoutMs: PATIENCE_MS,
      })
    return { mailbox, probe }
  }

  test('tells its domains, beside that of the sender', async () => {
    const { mailbox, probe } = openMailbox()
    mailbox.domains.push({ name: 'alibi.example', status: 'pending' })
    expect(await probe()).toMatchObject({
      senderDomain: 'alibi.example',
      domains: { kind: 'answered', value: [{ name: 'alibi.example', status: 'pending' }] },
    })
  })

  test.each<[string, () => Response, object]>([
    ['a key for sending alone', () => refusal(401, 'restricted_api_key'), { kind: 'sending_only' }],
    [
      'a key that counts no more',
      () => refusal(403, 'invalid_api_key'),
      { kind: 'refused', status: 403 },
    ],
    [
      'an outage',
      () => refusal(500, 'internal_server_error'),
      { kind: 'unreachable', reason: 'it answers HTTP 500' },
    ],
    ['a list that is none', () => Response.json({ data: 'x' }), { kind: 'unreachable' }],
    [
      'a list of something else',
      () => Response.json({ data: [{ id: 1 }] }),
      { kind: 'unreachable' },
    ],
  ])('tells %s from the others', async (_, answer, domains) => {
    const { mailbox, probe } = openMailbox()
    mailbox.answerDomains(answer)
    expect((await probe()).domains).toMatchObject(domains)
  })

  test('is read alike where others play it', async () => {
    const emulator = await createEmulator({ service: 'resend', port: 0 })
    onTestFinished(() => emulator.close())
    const headers = { authorization: 'Bearer re_1', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'alibi.example' })
    await fetch(`${emulator.url}/domains`, { method: 'POST', headers, body })
    const question = { apiKey: 're_1', baseUrl: emulator.url, from: 'a@alibi.example' }
    const rest = { publicUrl: null, mailTo: parseEmail('b@example.com'), timeoutMs: PATIENCE_MS }
    expect(await probeResend({ ...question, ...rest })).toMatchObject({
      domains: { kind: 'answered', value: [{ name: 'alibi.example', status: 'pending' }] },
      testMail: { kind: 'answered', value: null },
    })
  })

  test('refuses a test mail where the key may not send from that domain', async () => {
    const { mailbox } = openMailbox()
    mailbox.refuse(() => refusal(401, 'restricted_api_key'))
    const question = { apiKey: 're_1', baseUrl: mailbox.url, from: 'a@alibi.example' }
    const rest = { publicUrl: null, mailTo: parseEmail('b@example.com'), timeoutMs: PATIENCE_MS }
    expect((await probeResend({ ...question, ...rest })).testMail).toEqual({
      kind: 'refused',
      status: 401,
    })
  })

  test('that is not there is unreachable', async () => {
    const { mailbox, probe } = openMailbox()
    mailbox.stop()
    expect((await probe()).domains).toEqual({
      kind: 'unreachable',
      reason: 'no connection, or an answer that makes no sense',
    })
  })

  test('is given up in time where it does not answer', async () => {
    const { url: baseUrl, isAsked } = serveSilence()
    const question = {
      apiKey: 're_1',
      baseUrl,
      from: 'Alibi <hello@alibi.example>',
      publicUrl: null,
      mailTo: null,
      timeoutMs: TIMEOUT_MS,
    }
    expect(await whenLate(TIMEOUT_MS, () => probeResend(question), isAsked)).toEqual({
      senderDomain: 'alibi.example',
      domains: { kind: 'unreachable', reason: 'no answer within 0.15 s' },
      testMail: null,
    })
  })
})
