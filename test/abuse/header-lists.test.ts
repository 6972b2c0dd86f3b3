import { describe, expect, test } from 'bun:test'
import { LANGUAGE_COOKIE } from '../../interfaces/http/pages/page-data.ts'
import { readPreferences } from '../../interfaces/http/request/accept.ts'
import { firstEntries, lastEntries } from '../../interfaces/http/request/header-list.ts'
import { acceptedLanguage } from '../../interfaces/http/request/language.ts'
import { PATH_LENGTH_MAX, readTarget } from '../../interfaces/http/request/target.ts'
import { chooseEncoding } from '../../interfaces/http/response/content-encoding.ts'
import { answers, countingLimiter, openHttp } from '../support/http/http-client.ts'

/** As many entries as a head of 16 KiB has room for. */
const MANY = 7500

/** A list in which the entry at that place, counted from 1, is the one that matters. */
function listWith(entry: string, { at, of = MANY }: { at: number; of?: number }): string {
  return Array.from({ length: of }, (_, index) => (index + 1 === at ? entry : 'x')).join(',')
}

describe('of a list', () => {
  test('the first 32 entries are read, or the last 32, however many there are', () => {
    const header = Array.from({ length: MANY }, (_, index) => ` ${index}`).join(',')
    const first = Array.from({ length: 32 }, (_, index) => String(index))
    expect(firstEntries(header)).toEqual(first)
    const last = first.map((_, index) => String(MANY - 1 - index))
    expect([...lastEntries(header)]).toEqual(last)
    expect(firstEntries(','.repeat(MANY))).toEqual(Array<string>(32).fill(''))
    expect([...lastEntries(','.repeat(MANY))]).toEqual(Array<string>(32).fill(''))
  })

  test('that is short every entry is read', () => {
    expect(firstEntries('a, b ,,c')).toEqual(['a', 'b', '', 'c'])
    expect([...lastEntries('a, b ,,c')]).toEqual(['c', '', 'b', 'a'])
    expect(firstEntries('a; b', ';')).toEqual(['a', 'b'])
    for (const header of [null, '']) {
      expect(firstEntries(header)).toEqual([])
      expect([...lastEntries(header)]).toEqual([])
    }
  })
})

describe('what stands behind the 32nd entry is not read', () => {
  test('of Accept-Language and Accept-Encoding', () => {
    expect(readPreferences('en,'.repeat(MANY))).toHaveLength(32)
    expect(acceptedLanguage(listWith('fr', { at: 32 }), ['en', 'fr'])).toBe('fr')
    expect(acceptedLanguage(listWith('fr', { at: 33 }), ['en', 'fr'])).toBe('en')
    expect(chooseEncoding(listWith('gzip', { at: 32 }))).toBe('gzip')
    expect(chooseEncoding(listWith('gzip', { at: 33 }))).toBeNull()
  })

  test('nor are the parameters of a choice', () => {
    expect(readPreferences(`fr${';x'.repeat(30)};q=0.5`)).toEqual([{ value: 'fr', quality: 0.5 }])
    expect(readPreferences(`fr${';x'.repeat(31)};q=0.5`)).toEqual([{ value: 'fr', quality: 1 }])
  })

  test('of If-None-Match', async () => {
    const http = openHttp()
    const tag = (await http.get('/app')).header('etag') ?? ''
    const ask = (at: number) => http.get('/app', { 'if-none-match': listWith(tag, { at }) })
    expect((await ask(32)).status).toBe(304)
    expect((await ask(33)).status).toBe(200)
  })

  test('of cookies', async () => {
    const http = openHttp()
    const ask = async (at: number) => {
      const cookie = listWith(`${LANGUAGE_COOKIE}=fr`, { at, of: 3000 }).replaceAll(',', '; ')
      return (await http.get('/app', { cookie })).header('content-language')
    }
    expect(await ask(1)).toBe('fr')
    expect(await ask(32)).toBe('fr')
    expect(await ask(33)).toBe('en')
  })

  test('of Accept', async () => {
    const http = openHttp({ limiters: { general: countingLimiter(0), auth: null, premium: null } })
    const ask = async (at: number) => {
      const accept = listWith('text/html', { at })
      return (await http.get('/payment/cancel', { accept })).header('content-type')
    }
    expect(await ask(32)).toStartWith('text/html')
    expect(await ask(33)).toStartWith('application/json')
  })

  test('of a query', async () => {
    const http = openHttp()
    const ask = async (at: number) => {
      const query = listWith('lang=fr', { at }).replaceAll(',', '&')
      return (await http.get(`/app?${query}`)).header('content-language')
    }
    expect(await ask(32)).toBe('fr')
    expect(await ask(33)).toBe('en')
  })

  test('of the parameters of a Content-Type', async () => {
    const ask = (count: number) =>
      openHttp().send('POST', '/auth/verify-email', {
        headers: { 'content-type': `application/json${';x=y'.repeat(count)};charset=latin1` },
        body: '{"email":"ada@example.com"}',
      })
    expect((await ask(30)).status).toBe(415)
    expect((await ask(31)).status).toBe(200)
  })
})

describe('a long target', () => {
  test('loses whole parameters beyond 2048 characters, and none is cut', () => {
    const long = 'x'.repeat(1900)
    const search = (query: string) => readTarget(`http://localhost/app?${query}`).search
    expect(search(`a=${long}&b=1`)).toBe(`?a=${long}&b=1`)
    expect(search(`a=${long}&b=${long}&c=1`)).toBe(`?a=${long}&c=1`)
    expect(search(`a=${'x'.repeat(3000)}`)).toBe('')
    expect(search(`email=${'a'.repeat(200)}%40example.com`)).toEndWith('%40example.com')
  })

  test('is no path of ours, whatever it is made of', async () => {
    const http = openHttp()
    for (const part of ['a', '/', '/a', '/auth', '/assets/']) {
      const path = `/${part.repeat(Math.ceil(PATH_LENGTH_MAX / part.length))}`
      expect(await http.get(path)).toMatchObject(answers(404, 'Endpoint not found'))
    }
  })
})
