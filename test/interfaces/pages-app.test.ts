import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../domain/language.ts'
import { ANSWERS, OUTAGE_ANSWERS } from '../../interfaces/http/errors.ts'
import { contentWith } from '../fakes.ts'
import { expectDecentPage, realContent, visitor } from './page-visitor.ts'

function wordsFor(text: string): Record<string, string> {
  const [, block] = text.match(/<script type="application\/json" id="words">(.*?)<\/script>/s)!
  return JSON.parse(block!)
}

describe('/app', () => {
  test('is a decent page that sends no form by itself', async () => {
    const page = await visitor().get('/app')
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'none'")
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
    expectDecentPage(page)
  })

  test.each(LANGUAGES.map((language) => [language] as const))(
    'has all its words in %s',
    async (language) => {
      const { text } = await visitor().get(`/app?lang=${language}`)
      expect(text).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
      for (const [key, words] of Object.entries(wordsFor(text))) {
        expect(words).toBe(realContent.in(language).strings[key]!)
      }
      const visible = text.replace(/<script.*?<\/script>|<[^>]*>/gs, '')
      expect(visible).not.toMatch(/[a-z]+_[a-z]+/)
    },
  )

  test('offers all languages by their own names, and marks the one it speaks', async () => {
    const { text } = await visitor().get('/app?lang=ja')
    const offered = Array.from(text.matchAll(/href="\/app\?lang=(\w+)"/g), ([, code]) => code!)
    expect(offered).toEqual([...LANGUAGES])
    expect(text).toContain('hreflang="ja" aria-current="true">日本語</a>')
    expect(text.match(/aria-current/g)).toHaveLength(1)
  })

  test('names every field, fills in codes, and says aloud what happens', async () => {
    const { text } = await visitor().get('/app')
    const fields = Array.from(text.matchAll(/<input id="(\w+)"/g), ([, id]) => id!)
    expect(fields).toEqual(['email', 'code'])
    for (const id of fields) expect(text).toContain(`<label for="${id}">`)
    expect(text).toMatch(/inputmode="numeric" autocomplete="one-time-code"/)
    expect(text).toMatch(/id="status"[^>]* role="status"/)
    expect(text).toMatch(/id="error"[^>]* role="alert"/)
    expect(text).toContain('aria-live="polite"')
    const ids = Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, described] of text.matchAll(/aria-describedby="([^"]+)"/g)) {
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
    expect(wordsFor(text)['loading']).toBe('</script><script>alert(1)</script>')
  })
})

describe("the app's script", () => {
  test('finds on the page every word and element that it names', async () => {
    const { get } = visitor()
    const page = (await get('/app')).text
    const script = (await get('/assets/app.js')).text
    const words = wordsFor(page)
    const named = [
      ...script.matchAll(/'(error_\w+)'/g),
      ...script.matchAll(/words\.(\w+)/g),
      ...script.matchAll(/fill\('(\w+)'/g),
    ].map(([, key]) => key!)
    expect(new Set(named)).toEqual(new Set(Object.keys(words)))
    for (const [, id] of script.matchAll(/byId\('([^']+)'\)/g)) expect(page).toContain(`id="${id}"`)
  })

  test('has words for everything that the API refuses to it', async () => {
    const script = (await visitor().get('/assets/app.js')).text
    const { invalid_signature: webhookOnly, ...refusals } = ANSWERS
    const { email, payment } = OUTAGE_ANSWERS
    for (const { status, error } of [...Object.values(refusals), email, payment]) {
      if (status !== 429) expect(script).toContain(`['${error}', 'error_`)
    }
    expect(script).not.toContain(webhookOnly.error)
  })
})
