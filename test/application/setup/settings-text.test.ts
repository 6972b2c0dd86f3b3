import { describe, expect, test } from 'bun:test'
import { canBeWritten, changeSettings } from '../../../application/setup/settings-text.ts'
import { parseEnvFile } from '../../../infrastructure/config/env-file.ts'

const changed = (text: string, changes: Record<string, string | null>) =>
  changeSettings(text, new Map(Object.entries(changes)))

describe('changeSettings', () => {
  test('changes a setting in its place, and leaves every other line as it is', () => {
    const text = '# mine\nA=1\n  export B = "x y"  \nODD LINE\n\n#A=0\nC=3\n'
    expect(changed(text, { B: '2' })).toBe('# mine\nA=1\nB=2\nODD LINE\n\n#A=0\nC=3\n')
    expect(changed(text, {})).toBe(text)
    expect(changed(text, { A: null })).toBe(text.replace('A=1\n', ''))
  })

  test('puts a new setting behind the comment that shows its default, else at the end', () => {
    expect(changed('#A=0\nB=1\n', { A: '2' })).toBe('#A=0\nA=2\nB=1\n')
    expect(changed('B=1', { A: '2' })).toBe('B=1\nA=2\n')
    expect(changed('', { A: '2' })).toBe('A=2\n')
  })

  test('keeps the line ends of Windows', () => {
    expect(changed('A=1\r\nB=1\r\n', { A: '2', C: '3' })).toBe('A=2\r\nB=1\r\nC=3\r\n')
  })

  test.each([
    'plain',
    'two words',
    `it's`,
    'say "so"',
    'a\\b',
    '# no comment',
    'x #y',
    '$HOME',
    '',
  ])('writes %j so that it is read back as it was', (value) => {
    expect(canBeWritten(value)).toBe(true)
    expect(parseEnvFile(changed('B=1\n', { A: value }))['A']).toBe(value)
  })

  test.each(['two\nlines', `"it's"`, `it's a \\`])('is not asked to write %j', (value) => {
    expect(canBeWritten(value)).toBe(false)
  })
})
