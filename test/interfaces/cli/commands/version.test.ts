import { expect, test } from 'bun:test'
import { version } from '../../../../interfaces/cli/commands/version.ts'

function run(json: boolean) {
  const texts: string[] = []
  const exitCode = version({
    number: '1.2.3',
    commit: 'abc',
    json,
    print: (text) => void texts.push(text),
  })
  return { exitCode, texts }
}

test('the version is one line', () => {
  expect(run(false)).toEqual({ exitCode: 0, texts: ['alibi 1.2.3'] })
})

test('as JSON it names commit and runtime, too', () => {
  const { exitCode, texts } = run(true)
  expect(exitCode).toBe(0)
  expect(JSON.parse(texts.join())).toEqual({
    name: 'alibi',
    version: '1.2.3',
    commit: 'abc',
    bun: Bun.version,
  })
})
