import { describe, expect, test } from 'bun:test'
import { knowProxies } from '../../../interfaces/http/known-proxies.ts'

function openProxies() {
  const tested: string[] = []
  const isTrusted = knowProxies((address) => {
    tested.push(address)
    return address.startsWith('10.')
  })
  return { tested, isTrusted }
}

describe('knowProxies', () => {
  test('trusts whom the test trusts, however often it is asked', () => {
    const { isTrusted } = openProxies()
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 1000; index++) {
        expect(isTrusted(`10.0.${index >> 8}.${index & 255}`)).toBe(true)
        expect(isTrusted(`100.0.${index >> 8}.${index & 255}`)).toBe(false)
      }
    }
  })

  test('tests a proxy once, and a stranger each time', () => {
    const { isTrusted, tested } = openProxies()
    for (let round = 0; round < 3; round++) {
      isTrusted('10.0.0.1')
      isTrusted('203.0.113.7')
    }
    expect(tested).toEqual(['10.0.0.1', '203.0.113.7', '203.0.113.7', '203.0.113.7'])
  })

  test('remembers 256 proxies at most', () => {
    const { isTrusted, tested } = openProxies()
    const ask = (count: number) => {
      tested.length = 0
      for (let index = 0; index < count; index++) isTrusted(`10.0.${index >> 8}.${index & 255}`)
      return tested.length
    }
    expect(ask(256)).toBe(256)
    expect(ask(256)).toBe(0)
    expect(ask(257)).toBe(1)
    expect(ask(256)).toBe(256)
  })
})
