import { describe, expect, test } from 'bun:test'
import { COMMANDS } from '../../../interfaces/cli/commands.ts'
import { help, refuseUsage } from '../../../interfaces/cli/help.ts'

function printed(topic: Parameters<typeof help>[0]['topic']) {
  const texts: string[] = []
  const exitCode = help({ topic, print: (text) => void texts.push(text) })
  return { exitCode, text: texts.join('\n') }
}

describe('help', () => {
  test('lists every command with its summary, the common options and the exit codes', () => {
    const { exitCode, text } = printed(null)
    expect(exitCode).toBe(0)
    for (const { name, summary } of COMMANDS) {
      expect(text).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'))
    }
    for (const words of ['--env-file FILE', '--help', '--version', '78'])
      expect(text).toContain(words)
  })

  test.each(COMMANDS.map(({ name }) => name))('on %s shows its usage and its options', (name) => {
    const { exitCode, text } = printed(name)
    expect(exitCode).toBe(0)
    expect(text).toStartWith(`Usage: alibi ${name} `)
    expect(text).toContain('--env-file FILE')
    expect(text.includes('--json')).toBe(['migrate', 'version'].includes(name))
  })

  test('fits a terminal of 100 columns', () => {
    for (const topic of [null, ...COMMANDS.map(({ name }) => name)]) {
      for (const line of printed(topic).text.split('\n'))
        expect(line.length).toBeLessThanOrEqual(100)
    }
  })
})

test('wrong usage is told on one line, with a hint on the next, and exits 2', () => {
  const lines: string[] = []
  const exitCode = refuseUsage({
    usageError: 'unknown command "x"',
    complain: (line) => void lines.push(line),
  })
  expect(exitCode).toBe(2)
  expect(lines).toEqual(['alibi: unknown command "x"', expect.stringContaining('alibi help')])
})
