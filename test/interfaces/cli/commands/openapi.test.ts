import { expect, test } from 'bun:test'
import { openapi } from '../../../../interfaces/cli/commands/openapi.ts'

test('the document is printed as JSON', async () => {
  const document = { openapi: '3.0.3', paths: {} }
  const texts: string[] = []
  const print = (text: string) => void texts.push(text)
  expect(await openapi({ readDocument: async () => document, print })).toBe(0)
  expect(texts.map((text) => JSON.parse(text))).toEqual([document])
})
