import { expect, test } from 'bun:test'
import { constantJson, jsonText } from '../../../../interfaces/http/response/json-text.ts'

test('a value becomes its text', () => {
  expect(jsonText({ a: 'é', b: [1, null] })).toBe('{"a":"é","b":[1,null]}')
  expect(jsonText(null)).toBe('null')
})

test('a constant value becomes text once, and what is equal to it is not it', async () => {
  let readings = 0
  const value = constantJson({
    get word() {
      readings++
      return 'naïve'
    },
  })
  const response = new Response(jsonText(value), {
    headers: { 'content-type': 'application/json' },
  })
  expect(await response.text()).toBe('{"word":"naïve"}')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(jsonText(value)).toBe(jsonText(value))
  expect(readings).toBe(1)
  expect(jsonText({ word: 'naïve' })).toBe('{"word":"naïve"}')
})
