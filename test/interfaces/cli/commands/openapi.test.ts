import { expect, test } from 'bun:test'
import { openapiCommand } from '../../../../interfaces/cli/commands/openapi.ts'
import { commandContext } from '../../../support/command-context.ts'

test('the document is printed as JSON', async () => {
  const document = { openapi: '3.0.3', paths: {} }
  const texts: string[] = []
  const print = (text: string) => void texts.push(text)
  const context = commandContext({ describeApi: async () => document, print })
  expect(await openapiCommand.run(context, {})).toBe(0)
  expect(texts.map((text) => JSON.parse(text))).toEqual([document])
})
