import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  curlCommand,
  type FilledField,
  requestExample,
} from '../../../../../interfaces/http/pages/docs/request-example.ts'

const POST = { method: 'POST', path: '/people/{id}', mediaType: 'application/json' }
const GET = { method: 'GET', path: '/people', mediaType: null }

function field(name: string, place: FilledField['place'], value: string): FilledField {
  return { name, place, value, required: false }
}

/** The words that a shell hands to curl. */
function wordsOf(command: string, env: Record<string, string> = {}): string[] {
  const shell = Bun.spawnSync(['sh', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { env })
  expect(shell.stderr.toString()).toBe('')
  return shell.stdout.toString().split('\0').slice(0, -1)
}

describe('a request that was filled in', () => {
  test('has each field in its place', () => {
    const fields = [
      field('id', 'path', 'a/b c'),
      field('lang', 'query', 'pt-BR'),
      field('Accept-Language', 'header', 'fr'),
      field('email', 'property', 'ada@example.com'),
      field('token', 'token', 'abc'),
    ]
    expect(requestExample(POST, fields)).toEqual({
      method: 'POST',
      path: '/people/a%2Fb%20c?lang=pt-BR',
      headers: { 'Accept-Language': 'fr', 'Content-Type': 'application/json' },
      token: 'abc',
      body: '{"email":"ada@example.com"}',
    })
  })

  test('leaves out what is empty, unless it is needed', () => {
    const fields = [field('lang', 'property', ''), field('email', 'property', '')]
    const needed = fields.map((one) => ({ ...one, required: one.name === 'email' }))
    expect(requestExample(POST, needed).body).toBe('{"email":""}')
    expect(requestExample(GET, [field('lang', 'query', '')])).toEqual({
      method: 'GET',
      path: '/people',
      headers: {},
      token: null,
      body: null,
    })
  })

  test('has a body that was typed as it is', () => {
    expect(requestExample(POST, [field('body', 'body', '{ not JSON')]).body).toBe('{ not JSON')
  })
})

describe('a line for the shell', () => {
  test('hands every value to curl as it is', () => {
    const value = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))
    const property = fc.property(value, value, (query, property) => {
      const request = requestExample(POST, [
        field('id', 'path', query || '-'),
        field('q', 'query', query),
        field('X-Some', 'header', property),
        field('body', 'body', property || '-'),
      ])
      const expected = [
        `http://localhost:3000${request.path}`,
        ...(property ? ['-H', `X-Some: ${property}`] : []),
        '-H',
        'Content-Type: application/json',
        '--data-raw',
        property || '-',
      ]
      expect(wordsOf(curlCommand(request, 'http://localhost:3000'))).toEqual(expected)
      const [address] = wordsOf(curlCommand(request, null), { ALIBI: 'http://localhost:3000' })
      expect(address).toBe(expected[0])
    })
    fc.assert(property, { numRuns: 50 })
  })

  test('takes the token from a variable, so that none stands in it', () => {
    const request = requestExample(GET, [field('token', 'token', 'secret')])
    const command = curlCommand(request, 'http://localhost:3000')
    expect(command).not.toContain('secret')
    expect(wordsOf(command, { TOKEN: 'a b' })).toEqual([
      'http://localhost:3000/people',
      '-H',
      'Authorization: Bearer a b',
    ])
  })

  test('names the method where curl would take another', () => {
    expect(wordsOf(curlCommand(requestExample(GET, []), ''))).toEqual(['/people'])
    const empty = requestExample({ ...POST, mediaType: null }, [])
    expect(wordsOf(curlCommand(empty, ''))).toEqual(['/people/{id}', '-X', 'POST'])
  })
})

test('percent-encodes every sign that a shell, or the origin, could give a meaning', () => {
  const TWICE = { method: 'GET', path: '/people/{id}/of/{id}', mediaType: null }
  expect(requestExample(TWICE, [field('id', 'path', "a'(b)*!")]).path).toBe(
    '/people/a%27%28b%29%2a%21/of/a%27%28b%29%2a%21',
  )
  const request = requestExample(TWICE, [{ ...field('token', 'token', ''), required: true }])
  expect(request.token).toBe('')
  const quotedBody = { ...request, token: null, body: "it's 'so'" }
  expect(curlCommand(quotedBody, 'http://a b')).toContain(`'http://a b/people`)
  expect(curlCommand(quotedBody, null)).toContain(`'it'\\''s '\\''so'\\'''`)
})
