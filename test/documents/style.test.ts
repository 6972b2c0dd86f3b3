import { describe, expect, test } from 'bun:test'
import { blocksOf, named, readFile } from '../support/documents.ts'

describe('the examples of STYLE.md', () => {
  const SOURCE = /`([\w./-]+\.ts)`[^`]*?\n\n```ts\n([\s\S]*?)^```$/gm
  const examples = [...named('STYLE.md').text.matchAll(SOURCE)].map(([, file = '', code = '']) => ({
    file,
    code,
  }))

  test('all name the file that they are from', () => {
    const blocks = blocksOf(named('STYLE.md')).filter(({ language }) => language === 'ts')
    expect(examples.map(({ code }) => code)).toEqual(blocks.map(({ code }) => code))
    expect(examples.length).toBeGreaterThan(5)
  })

  test.each(examples)('stand in the code as it is now: $file', async ({ file, code }) => {
    const lines = (text: string) => text.split('\n').map((line) => line.trim())
    const source = lines(await readFile(file)).join('\n')
    const parts = code.trimEnd().split(/\n\n(?=\S)|^ *\/\/ …\n/m)
    const others = parts.filter((part) => !source.includes(lines(part.trimEnd()).join('\n')))
    expect(others).toEqual([])
  })
})
