import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readTarget } from '../../../../interfaces/http/request/target.ts'

describe('a plain target', () => {
  test.each(['localhost', 'localhost:3000', '127.0.0.1:3000', 'a-b.example', '_a.b_', 'x.b1'])(
    'has a host such as %s',
    (host) => {
      expect(readTarget(`http://${host}/auth/check?email=a@b.co`)).toEqual({
        path: '/auth/check',
        search: '?email=a@b.co',
        isPlain: true,
        refusal: null,
      })
    },
  )

  test.each([
    ['a payment session', `?session_id=cs_live_${'a'.repeat(58)}`, true],
    ['as many parameters as are read', `?${'a=b&'.repeat(31)}a=b`, true],
    ['one more', `?${'a=b&'.repeat(32)}a=b`, false],
    ['as many characters as are read', `?${'a'.repeat(2047)}`, true],
    ['many more', `?${'a'.repeat(4000)}`, false],
  ])('may have a query with %s: %p is %p', (_, search, isPlain) => {
    const target = readTarget(`http://localhost/app${search}`)
    expect(target.isPlain).toBe(isPlain)
    expect(target.search === search).toBe(isPlain)
  })

  test('is a URL, whatever the Host header was', () => {
    const letter = fc.constantFrom(...'0129afxnXN-._[]:%@ ')
    const part = fc.constantFrom('xn--', '0x', '256', '127.0.0.1', '1', 'a', '.', ':80', '65536')
    const host = fc.array(fc.oneof(letter, part), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(host, (parts) => {
        const url = `http://${parts.join('')}/languages?lang=fr`
        if (!readTarget(url).isPlain) return
        expect(new URL(url)).toMatchObject({ pathname: '/languages', search: '?lang=fr' })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a host that no URL can have', () => {
  test.each(['1.2.3.4.5', '256.1.1.1', 'a.1', 'a.0x', 'xn--a', 'XN--a', '[1]'])(
    'makes a target invalid: %s',
    (host) => {
      expect(readTarget(`http://${host}/app`).refusal).toBe('invalid_request')
    },
  )
})
