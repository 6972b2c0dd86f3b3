import { describe, expect, test } from 'bun:test'
import { STRING_GROUPS } from '../../../../../application/content/string-catalogue.ts'
import { Unavailable } from '../../../../../application/unavailable.ts'
import { LANGUAGES } from '../../../../../domain/language.ts'
import type { AppPageData } from '../../../../../interfaces/http/pages/page-data.ts'
import {
  ANSWERS,
  FAULT_ANSWER,
  OUTAGE_ANSWERS,
  REQUEST_ANSWERS,
} from '../../../../../interfaces/http/response/errors.ts'
import { contentWith, fakePorts } from '../../../../support/fakes.ts'
import { openHttp } from '../../../../support/http/http-client.ts'
import { expectDecentPage, realContent, visitor } from '../../../../support/http/page-visitor.ts'

function dataOf(text: string): AppPageData {
  const [, block] = text.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)!
  return JSON.parse(block!)
}

describe('/app', () => {
  test('is a decent page that sends no form by itself', async () => {
    const page = await visitor().get('/app')
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'none'")
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
    expectDecentPage(page, { isIndexed: true })
  })

  test.each(LANGUAGES.map((language) => [language] as const))(
    'has all its words in %s',
    async (language) => {
      const { text } = await visitor().get(`/app?lang=${language}`)
      expect(text).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
      const { words } = dataOf(text)
      const { mails, payment_pages, ...said } = STRING_GROUPS
      for (const group of Object.values(said)) {
        for (const key of Object.keys(group).filter((one) => one !== 'tries_left')) {
          expect(words[key]).toBe(realContent.in(language).strings[key]!)
        }
      }
      const visible = text.replace(/<script.*?<\/script>|<[^>]*>/gs, '')
      expect(visible).not.toMatch(/[a-z]+_[a-z]+/)
    },
  )

  test('says with every element the word that its script will look up there', async () => {
    const { text } = await visitor().get('/app?lang=sv')
    const { words } = dataOf(text)
    const said = [...text.matchAll(/<(\w+) data-word="(\w+)"[^>]*>([^<]*)<\/\1>/g)]
    expect(said.length).toBe(text.match(/data-word="/g)!.length)
    for (const [, , key, word] of said) expect(word).toBe(Bun.escapeHTML(words[key!]!))
  })

  test('offers all languages by their own names, and marks the one it speaks', async () => {
    const { text } = await visitor().get('/app?lang=ja')
    const offered = Array.from(text.matchAll(/<option value="(\w+)"/g), ([, code]) => code!)
    expect(offered).toEqual([...LANGUAGES])
    expect(text).toContain('<option value="ja" lang="ja" selected>日本語</option>')
    expect(text.match(/ selected/g)).toHaveLength(1)
    expect(Object.keys(dataOf(text).wordFiles)).toEqual([...LANGUAGES])
  })

  test('names every field, fills in codes, and says aloud what happens', async () => {
    const { text } = await visitor().get('/app')
    const fields = Array.from(text.matchAll(/<input id="(\w+)"/g), ([, id]) => id!)
    expect(fields).toEqual(['email', 'code'])
    for (const id of fields) expect(text).toMatch(new RegExp(`<label [^>]*for="${id}">`))
    expect(text).toMatch(/inputmode="numeric" autocomplete="one-time-code"/)
    expect(text).toMatch(/id="status"[^>]* role="status"/)
    expect(text).toMatch(/id="problem-alert"[^>]* role="alert"/)
    expect(text).toContain('aria-live="polite"')
    const ids = Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, described] of text.matchAll(/aria-(?:describedby|labelledby)="([^"]+)"/g)) {
      for (const id of described!.split(' ')) expect(ids).toContain(id)
    }
  })

  test('tells people without scripts why nothing happens', async () => {
    const { text } = await visitor().get('/app?lang=fr')
    expect(text).toContain(
      `<noscript><p class="notice">${realContent.in('fr').strings.needs_javascript}`,
    )
  })

  test('carries hostile words of an operator without running them', async () => {
    const strings = new Proxy(realContent.in('en').strings, {
      get: () => '</script><script>alert(1)</script>',
    })
    const { get } = visitor({ ports: { content: contentWith({ strings }) } })
    const { text } = await get('/app')
    expect(text).not.toContain('<script>')
    expect(dataOf(text).words['loading']).toBe('</script><script>alert(1)</script>')
  })

  test('has words for everything that the API refuses', async () => {
    const { problems, words } = dataOf((await visitor().get('/app')).text)
    expect(problems).toEqual({
      'Invalid email': 'error_invalid_email',
      'Invalid or expired code': 'error_invalid_code',
      'Too many requests, please try again later': 'error_too_many_requests',
      'Missing token': 'error_session_expired',
      'Invalid or expired token': 'error_session_expired',
      'Premium access required': 'error_premium_required',
      'Email not verified': 'error_email_not_verified',
      'Premium access already active': 'error_premium_active',
      'Payment processing': 'error_payment_processing',
      'Invalid signature': 'error_invalid_request',
      'Invalid JSON': 'error_invalid_request',
      'Invalid request': 'error_invalid_request',
      'Endpoint not found': 'error_not_found',
      'Request too large': 'error_invalid_request',
      'Unsupported media type': 'error_invalid_request',
      'Email delivery unavailable': 'error_email_unavailable',
      'Payment provider unavailable': 'error_payment_unavailable',
      'Temporarily unavailable': 'error_unavailable',
      'Internal server error': 'error_server',
    })
    const answers = { ...ANSWERS, ...REQUEST_ANSWERS, ...OUTAGE_ANSWERS, fault: FAULT_ANSWER }
    for (const { error } of Object.values(answers)) expect(words[problems[error]!]).toBeString()
  })
})

describe('the price on /app', () => {
  const { payments } = fakePorts()

  test("is the provider's, as the reader's language writes it", async () => {
    const price = { amount: 1250, currency: 'usd' }
    const { get } = visitor({ ports: { payments: { ...payments, price: async () => price } } })
    const german = (await get('/app?lang=de')).text
    expect(german).toContain('<p id="price" class="price">12,50\u00a0$</p>')
    expect(dataOf(german).price).toEqual(price)
    expect((await get('/app?lang=en')).text).toContain('<p id="price" class="price">$12.50</p>')
  })

  test('delays no page, and is shown once the provider has answered', async () => {
    const { promise, resolve } = Promise.withResolvers<{ amount: number; currency: string }>()
    let asked = 0
    const price = () => {
      asked++
      return promise
    }
    const { get } = visitor({ ports: { payments: { ...payments, price } } })
    for (const _ of ['first', 'second']) {
      const { status, text } = await get('/app')
      expect(status).toBe(200)
      expect(text).toContain('<p id="price" class="price"></p>')
      expect(dataOf(text).price).toBeNull()
    }
    expect(asked).toBe(1)

    resolve({ amount: 400, currency: 'eur' })
    expect((await get('/app')).text).toContain('€4.00')
  })

  test('is not asked for again once it is known', async () => {
    let asked = 0
    const price = async () => {
      asked++
      return { amount: 400, currency: 'eur' }
    }
    const { get } = visitor({ ports: { payments: { ...payments, price } } })
    for (const path of ['/app', '/app', '/app?lang=de']) await get(path)
    expect(asked).toBe(1)
  })

  test('is asked for again after an outage, which the log tells', async () => {
    const outcomes = [
      () => Promise.reject(new Unavailable('payment', { cause: new Error('down') })),
      () => Promise.resolve({ amount: 400, currency: 'eur' }),
    ]
    const { get, ports } = visitor({
      ports: { payments: { ...payments, price: () => outcomes.shift()!() } },
    })
    expect(dataOf((await get('/app')).text).price).toBeNull()
    expect(ports.log.lines).toMatchObject([{ level: 'warn', fields: { task: 'price' } }])
    expect(dataOf((await get('/app')).text).price).toEqual({ amount: 400, currency: 'eur' })
  })
})

test('tells its script how long codes and verifications live, and where the words of each language are', async () => {
  const { get, ports } = visitor()
  const { otpLifetimeMs, verificationLifetimeMs, wordFiles } = dataOf((await get('/app')).text)
  const { rules } = ports
  expect({ otpLifetimeMs, verificationLifetimeMs }).toEqual({
    otpLifetimeMs: rules.otpLifetimeMs,
    verificationLifetimeMs: rules.verificationLifetimeMs,
  })
  for (const language of LANGUAGES) {
    expect(wordFiles[language]).toStartWith(`/assets/words/${language}.json?v=`)
  }
})
test('offers no language that is not on offer', async () => {
  const languages = ['en', 'fr'] as const
  const { get } = visitor({ ports: { content: { ...realContent, languages } } })
  const { text } = await get('/app')
  const offered = Array.from(text.matchAll(/<option value="(\w+)"/g), ([, code]) => code!)
  expect(offered).toEqual(['en', 'fr'])
  expect(Object.keys(dataOf(text).wordFiles)).toEqual(['en', 'fr'])
  const http = openHttp({}, fakePorts({ content: { ...realContent, languages } }))
  expect((await http.get('/assets/words/fr.json')).status).toBe(200)
  expect((await http.get('/assets/words/de.json')).status).toBe(404)
})
test('shows one step at a time, and says so where its script does not start', async () => {
  const { text } = await visitor().get('/app')
  const shown = Array.from(text.matchAll(/<form id="([\w-]+)" ?(?:novalidate)?>/g), ([, id]) => id)
  expect(shown).toEqual(['email-step'])
  expect(text).toContain('<p id="unstarted" class="notice">')
  expect(text).toContain('<body class="app">')
  expect(text).toContain('<footer><a href="/docs">')
  expect(text).toContain('data-word="pitch"')
  expect(text).toContain('data-word-placeholder="email_placeholder"')
})

test('brings along every plural form', async () => {
  for (const language of LANGUAGES) {
    const { words } = dataOf((await visitor().get(`/app?lang=${language}`)).text)
    const forms = (all: object) =>
      Object.entries(all).filter(([key]) => key.startsWith('tries_left_'))
    expect(forms(words).toSorted()).toEqual(forms(realContent.in(language).strings).toSorted())
  }
})
