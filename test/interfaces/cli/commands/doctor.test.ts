import { describe, expect, test } from 'bun:test'
import { type Finding, findingsOn } from '../../../../application/doctor/finding.ts'
import type { Check } from '../../../../application/doctor/run-checks.ts'
import { doctorCommand } from '../../../../interfaces/cli/commands/doctor.ts'

import { commandContext } from '../../../support/command-context.ts'

const disk = findingsOn('disk')
const url = findingsOn('public url')

async function diagnosed(findings: readonly Finding[], { json = false } = {}) {
  const printed: string[] = []
  const check: Check = { names: ['disk'], needsNetwork: false, run: async () => findings }
  const context = commandContext({
    json,
    openChecks: async () => [check],
    wait: () => new Promise(() => {}),
    progress() {},
    print: (text) => void printed.push(text),
  })
  const exitCode = await doctorCommand.run(context, { mailTo: null, offline: false })
  return { exitCode, printed: printed.join('\n') }
}

describe('doctor', () => {
  test('prints aligned lines, what to do below them, and a count', async () => {
    const { exitCode, printed } = await diagnosed([
      disk.ok('5 GB free'),
      url.warning('slow', 'wait'),
      url.skipped('not looked at'),
    ])
    expect(exitCode).toBe(0)
    expect(printed.split('\n')).toEqual([
      'ok       disk        5 GB free',
      'warning  public url  slow',
      '  -> wait',
      'skipped  public url  not looked at',
      '',
      '0 failed, 1 warning.',
    ])
  })

  test('says so where nothing is wrong', async () => {
    const both = [disk.failed('a', 'b'), url.warning('c', 'd')]
    expect((await diagnosed(both)).printed).toEndWith('\n\n1 failed, 1 warning.')
    expect((await diagnosed([disk.ok('fine')])).printed).toEndWith('\n\nNothing is wrong.')
  })

  test.each([
    [[disk.ok('a')], 0],
    [[disk.warning('a', 'b')], 0],
    [[disk.skipped('a')], 0],
    [[disk.failed('a', 'b'), disk.ok('c')], 1],
    [[disk.failed('a', 'b'), findingsOn('settings').failed('c', 'd')], 78],
  ] as const)('of %j the exit code is %d', async (findings, code) => {
    expect((await diagnosed(findings)).exitCode).toBe(code)
  })

  test('as JSON is one object with every finding', async () => {
    const findings = [disk.ok('a'), disk.failed('b', 'c')]
    const { exitCode, printed } = await diagnosed(findings, { json: true })
    expect(exitCode).toBe(1)
    expect(JSON.parse(printed)).toEqual({ checks: findings, ok: false })
  })

  test('lets no text from another machine act on the terminal', async () => {
    const { printed } = await diagnosed([url.failed('to https://x/\x1b[2J\n\u202eok', 'a\rb')])
    expect(printed.split('\n').slice(0, 2)).toEqual([
      'failed  public url  to https://x/ [2J ok',
      '  -> a b',
    ])
  })
})
