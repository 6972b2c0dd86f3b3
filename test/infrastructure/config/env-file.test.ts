import { describe, expect, test } from 'bun:test'
import { ConfigError } from '../../../infrastructure/config/config.ts'
import { parseEnvFile, withEnvFile } from '../../../infrastructure/config/env-file.ts'

function problemsOf(text: string): readonly string[] {
  try {
    parseEnvFile(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('parseEnvFile', () => {
  test('reads assignments, comments and empty lines', () => {
    const text = '\u{feff}# settings\n\nPORT=3000\r\n  export HOST = ::1 \nEMPTY=\n'
    expect(parseEnvFile(text)).toEqual({ PORT: '3000', HOST: '::1', EMPTY: '' })
  })

  test('keeps every character of a secret', () => {
    const secret = 'a#b=c$d`e\\f'
    expect(parseEnvFile(`A=${secret}\nB='${secret} " #'\nC="it's ${'$'}HOME"`)).toEqual({
      A: secret,
      B: `${secret} " #`,
      C: "it's $HOME",
    })
  })

  test('takes a sender without quotes', () => {
    expect(parseEnvFile('EMAIL_FROM=Alibi <a@example.com>')).toEqual({
      EMAIL_FROM: 'Alibi <a@example.com>',
    })
  })

  test.each([
    'PORT',
    '1PORT=2',
    'A B=1',
    'A=1 # comment',
    'A="1" # comment',
    'A="open',
    "A='open",
    'A="a\\nb"',
    'A="a"b"',
    ': yaml',
  ])('refuses what could be read in more than one way: %s', (line) => {
    expect(problemsOf(`FINE=1\n${line}`)).toEqual([expect.stringMatching(/^line 2: /)])
  })

  test('refuses each line that is not UTF-8, a comment too', () => {
    const text = 'FINE=é\nEMAIL_FROM=Grüße <a@example.com>\n# für uns\nPORT=1'
    const [fine = '', ...others] = text.split('\n').map((line) => `${line}\n`)
    const bytes = Buffer.concat([Buffer.from(fine), Buffer.from(others.join(''), 'latin1')])
    const wrong = problemsOf(new TextDecoder().decode(bytes))
    expect(wrong).toEqual(['line 2: must be UTF-8 text', 'line 3: must be UTF-8 text'])
    expect(problemsOf(text)).toEqual([])
  })

  test('refuses a setting that is made twice', () => {
    expect(problemsOf('A=1\nA=2')).toEqual(['line 2: A is set a second time'])
  })

  test('names every line that is wrong, and no value', () => {
    const problems = problemsOf('canary\nA="canary\nB=canary # canary')
    expect(problems).toHaveLength(3)
    expect(problems.join()).not.toContain('canary')
  })

  test('a name from the object prototype is a name like any other', () => {
    expect(Object.entries(parseEnvFile('__proto__=1\nconstructor=2'))).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })
})

describe('withEnvFile', () => {
  test('the environment wins over the file, unless it is empty', () => {
    const env = { A: 'env', B: '', C: undefined, D: 'env' }
    expect(withEnvFile(env, 'A=file\nB=file\nC=file\nE=file')).toEqual({
      A: 'env',
      B: 'file',
      C: 'file',
      D: 'env',
      E: 'file',
    })
  })
})
