import { expect, test } from 'bun:test'
import { numberFormat } from '../../domain/number-format.ts'

const MINUTES = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const
const EUROS = { style: 'currency', currency: 'eur' } as const

test('the same language and options have the same format, made once', () => {
  expect(numberFormat('de', { ...MINUTES })).toBe(numberFormat('de', { ...MINUTES }))
})

test('another language, and other options, have a format of their own', () => {
  const write = (...asked: Parameters<typeof numberFormat>) => numberFormat(...asked).format(2)
  expect(write('de', MINUTES)).toBe('2 Minuten')
  expect(write('en', MINUTES)).toBe('2 minutes')
  expect(write('en', { ...MINUTES, unit: 'hour' })).toBe('2 hours')
  expect(write('en', EUROS)).toBe('€2.00')
  expect(write('en', { ...EUROS, currency: 'usd' })).toBe('$2.00')
})

test('digits are Latin in every language', () => {
  expect(numberFormat('ar', {}).format(12)).toBe('12')
})
