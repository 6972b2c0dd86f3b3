import { describe, expect, test } from 'bun:test'
import { startCheckout } from '../../../../application/payments/start-checkout.ts'
import { parseEmail } from '../../../../domain/email.ts'
import { LANGUAGES } from '../../../../domain/language.ts'
import type { SessionReport } from '../../../../domain/session-report.ts'
import { newVerification } from '../../../../domain/verification.ts'
import { REFRESH_WAITS_SECONDS } from '../../../../interfaces/http/pages/page-data.ts'
import { contentWith, ORIGIN, saveVerification } from '../../../support/fakes.ts'
import { expectDecentPage, realContent, visitor } from '../../../support/http/page-visitor.ts'

const email = parseEmail('ada@example.com')

/** A buyer who comes back from the provider, where the session ended like this. */
async function returningBuyer(outcome: SessionReport['outcome']) {
  const buyer = visitor()
  const { ports } = buyer
  const lifetimeMs = ports.rules.verificationLifetimeMs
  await saveVerification(ports, newVerification(email, { lifetimeMs, now: ports.clock.now() }))
  const { sessionId } = await startCheckout(ports, { email, language: 'en' })
  ports.payments.move(sessionId, outcome)
  return { ...buyer, sessionId, path: `/payment/success?session_id=${sessionId}` }
}

async function endAccess(
  { ports, sessionId }: Awaited<ReturnType<typeof returningBuyer>>,
  ending: 'refunded' | 'charged back' | 'revoked',
): Promise<void> {
  const paymentIntentId = (await ports.purchases.findBySessionId(sessionId))!.paymentIntentId!
  switch (ending) {
    case 'refunded': {
      const refund = { id: 're_1', paymentIntentId, amount: 400, state: 'succeeded' } as const
      await ports.refunds.update([refund], ORIGIN, () => refund)
      return
    }
    case 'charged back': {
      const reportedAt = ports.clock.now()
      const dispute = { id: 'dp_1', paymentIntentId, state: 'open', reportedAt } as const
      await ports.disputes.update([dispute], ORIGIN, () => dispute)
      return
    }
    case 'revoked':
      await ports.premiumGrants.revokeAll(email, ORIGIN)
  }
}

describe('/payment/success', () => {
  test('says that access is active once the session is paid, and activates it', async () => {
    const { get, path, ports } = await returningBuyer('paid')
    const page = await get(path)
    expect(page.status).toBe(200)
    expect(page.text).toContain(realContent.in('en').strings['payment_active_text']!)
    expect(page.text).toContain('<a class="button" href="/app">')
    expect(await ports.premiumGrants.findByEmail(email)).toHaveLength(1)
  })

  test('asks no provider about what the database knows to be paid', async () => {
    const { get, path, ports } = await returningBuyer('paid')
    await get(path)
    ports.payments.outage = true
    expect((await get(path)).status).toBe(200)
  })

  test('refreshes itself while the payment is on its way, by script and without one', async () => {
    const { get, path } = await returningBuyer('processing')
    const page = await get(path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('data-state="processing"')
    expect(page.text).toMatch(/<script type="module" src="\/assets\/payment\.js\?v=[0-9a-f]+"/)
    expect(page.text).toContain('<noscript><meta http-equiv="refresh" content="120"></noscript>')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  })

  test('refreshes at a growing distance for some minutes, within ten requests in fifteen minutes', async () => {
    const waits = REFRESH_WAITS_SECONDS
    expect(waits).toEqual(waits.toSorted((left, right) => left - right))
    // See there for the other four.
    expect(waits.length).toBeLessThanOrEqual(6)
    expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(180)
  })

  test.each(['paid', 'expired', 'failed'] as const)(
    'does not refresh itself when %s',
    async (outcome) => {
      const { get, path } = await returningBuyer(outcome)
      const page = await get(path)
      expect(page.text).not.toContain('http-equiv="refresh"')
      expect(page.text).not.toContain('<script')
      expect(page.headers.get('content-security-policy')).not.toContain('script-src')
    },
  )

  test('says that nothing was paid when the session is over', async () => {
    const { get, path } = await returningBuyer('expired')
    const page = await get(path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('data-state="unpaid"')
  })

  test.each(['refunded', 'charged back', 'revoked'] as const)(
    'of a payment that was %s does not claim that no money was taken, and leads to the app',
    async (ending) => {
      const buyer = await returningBuyer('paid')
      await buyer.get(buyer.path)
      await endAccess(buyer, ending)
      const page = await buyer.get(buyer.path)
      expect(page.status).toBe(200)
      expect(page.text).toContain('data-state="ended"')
      const { strings } = realContent.in('en')
      expect(page.text).toContain(strings['payment_ended_title']!)
      expect(page.text).toContain(strings['payment_ended_text']!)
      expect(page.text).not.toContain(strings['payment_unpaid_text']!)
      expect(page.text).toContain('<a class="button" href="/app">')
      expect(page.text).not.toContain('http-equiv="refresh"')
      expect(page.text).not.toContain('<script')
      expectDecentPage(page)
      expect(page.headers.get('cache-control')).toBe('no-store')
      for (const secret of ['ada', '@', '400', '4.00', '€', buyer.sessionId]) {
        expect(page.text).not.toContain(secret)
      }
    },
  )

  test('of a payment that was given back says that access is active where it is, by another grant', async () => {
    const buyer = await returningBuyer('paid')
    await buyer.get(buyer.path)
    await endAccess(buyer, 'refunded')
    await buyer.ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    expect((await buyer.get(buyer.path)).text).toContain('data-state="active"')
  })

  test.each([
    '/payment/success',
    '/payment/success?session_id=',
    '/payment/success?session_id=pi_123',
    '/payment/success?session_id={CHECKOUT_SESSION_ID}',
    '/payment/success?session_id=cs_test%0a',
    '/payment/success?session_id=cs_%3Cscript%3Ealert(1)%3C/script%3E',
    `/payment/success?session_id=cs_${'a'.repeat(251)}`,
    '/payment/success?session_id=cs_test_1&session_id=cs_test_1',
  ])('answers 400 with a page to %s', async (path) => {
    const { get, ports } = visitor()
    const page = await get(path)
    expect(page.status).toBe(400)
    expect(page.text).toContain('data-state="invalid"')
    expect(page.text).not.toContain('alert(1)')
    expect(ports.payments.calls).toEqual([])
  })

  test('answers 404 with a page to a session that is not ours', async () => {
    const { get } = visitor()
    const page = await get('/payment/success?session_id=cs_test_of_somebody_else')
    expect(page.status).toBe(404)
    expect(page.text).toContain('data-state="unknown"')
    expectDecentPage(page)
  })

  test('answers 503 with a page and Retry-After while the provider is out of reach', async () => {
    const { get, path, ports } = await returningBuyer('paid')
    ports.payments.outage = true
    const page = await get(path)
    expect(page.status).toBe(503)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.text).toContain('data-state="unavailable"')
    expect(ports.log.lines.map(({ fields }) => fields['outage'])).toContain('payment')
    expectDecentPage(page)
  })

  test('a fault of ours is left to whoever answers all faults', async () => {
    const { get, path, ports } = await returningBuyer('paid')
    ports.payments.readSession = async () => {
      throw new Error('a fault')
    }
    expect((await get(path)).text).not.toContain('data-state')
  })

  test.each(['paid', 'processing', 'expired', 'failed'] as const)(
    'shows no address, amount, token or session id when %s',
    async (outcome) => {
      const { get, path, sessionId } = await returningBuyer(outcome)
      const { text } = await get(`${path}&email=ada@example.com`)
      for (const secret of ['ada', '@', '400', '4.00', '€', sessionId, 'Bearer', 'token']) {
        expect(text).not.toContain(secret)
      }
    },
  )

  test('ignores an address in the query', async () => {
    const { get, path, ports } = await returningBuyer('paid')
    await get(`${path}&email=eve@example.com`)
    expect(await ports.premiumGrants.findByEmail(parseEmail('eve@example.com'))).toEqual([])
  })
})

describe('/payment/cancel', () => {
  test('leads back to the app and changes nothing', async () => {
    const { get, ports } = visitor()
    const page = await get('/payment/cancel')
    expect(page.status).toBe(200)
    expect(page.text).toContain('<a class="button" href="/app">')
    expect(ports.payments.calls).toEqual([])
  })
})

describe('every payment page', () => {
  test('is decent, and is never cached', async () => {
    const { get, path } = await returningBuyer('processing')
    for (const page of [
      await get(path),
      await get('/payment/cancel'),
      await get('/payment/success'),
    ]) {
      expectDecentPage(page)
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('content-security-policy')).toContain("form-action 'none'")
    }
  })

  test('speaks the language of the browser, and that of ?lang= before it', async () => {
    const { get } = visitor()
    const swedish = await get('/payment/cancel', { 'accept-language': 'sv-SE,en;q=0.5' })
    expect(swedish.text).toContain('<html lang="sv" dir="ltr">')
    expect(swedish.headers.get('content-language')).toBe('sv')
    const arabic = await get('/payment/cancel?lang=ar', { 'accept-language': 'sv' })
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">')
  })

  test.each(LANGUAGES.map((language) => [language] as const))(
    'has all its words in %s, whatever it says',
    async (language) => {
      const [active, ended, processing, unpaid, unavailable] = await Promise.all(
        (['paid', 'paid', 'processing', 'expired', 'paid'] as const).map(returningBuyer),
      )
      await ended!.get(ended!.path)
      await endAccess(ended!, 'refunded')
      unavailable!.ports.payments.outage = true

      const { get, path } = processing!
      const states = [
        ['active', active!.get, active!.path],
        ['processing', get, path],
        ['unpaid', unpaid!.get, unpaid!.path],
        ['ended', ended!.get, ended!.path],
        ['unknown', get, '/payment/success?session_id=cs_x'],
        ['invalid', get, '/payment/success?'],
        ['unavailable', unavailable!.get, unavailable!.path],
        ['cancel', get, '/payment/cancel?'],
      ] as const
      const { strings } = realContent.in(language)
      for (const [state, visit, address] of states) {
        const { text } = await visit(`${address}&lang=${language}`)
        expect(text).toContain(`<html lang="${language}"`)
        expect(text).toContain(`data-state="${state}"`)
        expect(text).toContain(`<h1>${strings[`payment_${state}_title`]}</h1>`)
        expect(text).toContain(`<p id="text">${strings[`payment_${state}_text`]}</p>`)
        expect(text).not.toMatch(/payment_[a-z]+_|open_app/)
      }
    },
  )

  test('escapes its words, which an operator may replace', async () => {
    const { strings: own } = realContent.in('en')
    const strings = { ...own, payment_cancel_title: '<script>alert(1)</script>' }
    const { get } = visitor({ ports: { content: contentWith({ strings }) } })
    const { text } = await get('/payment/cancel')
    expect(text).not.toContain('<script>')
    expect(text).toContain('&lt;script&gt;')
  })
})

test('is put together once for each state and language, and nobody gets what another one asked for', async () => {
  let readings = 0
  const { get } = visitor({
    ports: {
      content: {
        ...realContent,
        in(language) {
          const content = realContent.in(language)
          const strings = new Proxy(content.strings, {
            get: (own, name, self) => {
              if (name === 'payment_cancel_title') readings++
              return Reflect.get(own, name, self)
            },
          })
          return { ...content, strings }
        },
      },
    },
  })
  for (let visit = 0; visit < 3; visit++) {
    for (const lang of ['sv', 'fr']) {
      const { headers, text } = await get(`/payment/cancel?lang=${lang}`)
      expect(headers.get('content-language')).toBe(lang)
      expect(text).toContain(realContent.in(lang as 'sv').strings.payment_cancel_title)
      const { status } = await get(`/payment/success?lang=${lang}`)
      expect(status).toBe(400)
    }
  }
  expect(readings).toBe(2)
})

test('forbids everything it has no use for, and is kept apart by language, cookie and coding', async () => {
  const { headers, text } = await visitor().get('/payment/cancel')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; " +
      "frame-ancestors 'none'; trusted-types 'none'; require-trusted-types-for 'script'",
  )
  expect(headers.get('vary')).toBe('Accept-Language, Cookie, Accept-Encoding')
  expect(headers.get('permissions-policy')).toContain('clipboard-write=(self)')
  expect(text).toContain('<main id="main" tabindex="-1">')
  expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  expect(text).toContain('<meta name="color-scheme" content="light dark">')
  expect(text).toContain('<link rel="icon" href="/assets/icon.svg?v=')
  expect(text).toContain('<body class="message">')
})

test('offers to ask again where the provider was out of reach, and hides what may come later', async () => {
  const { get, ports } = visitor()
  ports.payments.outage = true
  const { text } = await get('/payment/success?session_id=cs_test_1')
  expect(text).toContain('<a class="button" href="">')
  expect(text).not.toContain('id="later"')
  expect(text).toContain('<div id="answer" class="card" role="status"')
  for (const path of ['/payment/success', '/payment/success?session_id=cs_x']) {
    const page = await visitor().get(path)
    expect(page.text).toContain('<a class="button" href="/app">')
    expect(page.text).not.toContain('/app#')
  }
})
