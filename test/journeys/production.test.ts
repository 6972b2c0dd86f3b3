import { describe, expect, test } from 'bun:test'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { buyer, type Production } from '../support/executable/production.ts'
import { PRODUCTIONS } from '../support/executable/productions.ts'
import { client } from '../support/http/client.ts'
import { walkTheWholeWay } from '../support/journey.ts'

const english = builtInContent().in('en')

/** What the buyer does at the Stripe double, and Stripe with the events that follow. */
function payAt({ double }: Production) {
  return async ({ sessionId }: { sessionId: string }) => {
    double.pay(sessionId)
    const statuses = await double.deliverAll()
    expect(statuses).not.toEqual([])
    expect(new Set(statuses)).toEqual(new Set([200]))
  }
}

describe.each(PRODUCTIONS)('on %s', (_, open) => {
  test('a buyer walks the whole way through the executable, finds the codes only in the mails, and the payment confirmed once', async () => {
    const { production: opened, carriedOut } = await open()
    await using production = opened
    const alibi = await production.start()
    const answers: Record<string, unknown>[] = []
    const email = 'buyer@example.com'
    const token = await walkTheWholeWay({
      url: alibi.url,
      email,
      readCode(answer) {
        answers.push(answer)
        return production.mailbox.latestCode(email)
      },
      pay: payAt(production),
    })

    await carriedOut()
    const { mails } = production.mailbox
    const notices = mails.filter(({ key }) => key !== null)
    const [session] = production.double.sessions.values()
    expect(notices).toMatchObject([
      {
        to: email,
        from: 'Alibi <hello@alibi.example>',
        subject: english.strings.mail_confirmed_subject,
        key: `payment_confirmed:${session?.client_reference_id}`,
      },
    ])
    expect(notices[0]?.text).toContain('https://alibi.example/app')

    const onlyWords = { success: true, message: expect.any(String) }
    expect(answers).toEqual([onlyWords, onlyWords])
    const [, claims = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: email,
      iss: 'https://alibi.example',
    })
    expect(await alibi.stop()).toBe(0)
    expect(mails.filter(({ key }) => key !== null).length).toBe(1)
  })

  test('the log names every event that Stripe has delivered', async () => {
    await using production = (await open()).production
    const alibi = await production.start()
    await buyer(alibi, production, 'buyer@example.com').buy()
    await alibi.stop()

    const delivered = production.double.events.map(({ id }) => id)
    expect(delivered).not.toEqual([])
    for (const id of delivered) expect(alibi.output()).toContain(id)
  })

  test('the recommended flow fits into the budgets that users were promised, and logging out has one of its own', async () => {
    await using production = (await open()).production
    const { RATE_LIMIT_GENERAL, RATE_LIMIT_AUTH, RATE_LIMIT_PREMIUM, ...env } = production.settings
    const alibi = await production.start({ env })
    const { http, buy } = buyer(alibi, production, 'frugal@example.com')
    const { token, sessionId } = await buy()
    expect((await http.get(`/payment/success?session_id=${sessionId}`)).status).toBe(200)
    expect((await http.get('/premium-reasons', token)).status).toBe(200)

    const one = await http.get('/auth/check?email=frugal@example.com')
    expect(one.status).toBe(200)
    expect(await http.get('/auth/check?email=frugal@example.com')).toMatchObject({ status: 429 })
    expect((await http.post('/auth/logout', undefined, token)).status).toBe(200)
  })

  test('the legacy flow still leads to a token', async () => {
    await using production = (await open()).production
    const alibi = await production.start()
    const email = 'legacy@example.com'
    const { token: newer } = await buyer(alibi, production, email).buy()

    const http = client(alibi.url)
    expect((await http.post('/auth/request-otp', { email })).status).toBe(200)
    const code = production.mailbox.latestCode(email)
    const { status, body } = await http.post('/auth/login', { email, code })
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, token: expect.any(String), email },
    })
    expect((await http.get('/i18n', String(body['token']))).status).toBe(200)
    expect((await http.post('/auth/logout', undefined, newer)).status).toBe(200)
    expect((await http.get('/i18n', String(body['token']))).status).toBe(401)
  })
})
