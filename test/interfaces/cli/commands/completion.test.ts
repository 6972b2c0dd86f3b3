import { describe, expect, test } from 'bun:test'
import { COMMON_OPTIONS } from '../../../../interfaces/cli/command-words.ts'
import { COMMANDS } from '../../../../interfaces/cli/commands/command-table.ts'
import { bashCompletion } from '../../../../interfaces/cli/commands/completion.ts'

const COMMAND_WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(' ', 1).join()))]
const SERVICE = ['install', 'uninstall', 'status', 'print']

/**
 * What a real bash, as strict as it can be, makes of each line: its last word is the one under the cursor. What the
 * shell is to find by itself stands in angle brackets.
 */
async function complete(lines: readonly (readonly string[])[]): Promise<readonly string[][]> {
  const calls = lines.map((words) => {
    const quoted = ['alibi', ...words].map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _alibi; answer`
  })
  const asked = [
    'set -euo pipefail',
    bashCompletion(COMMANDS),
    `compopt() { COMPREPLY+=("<$2>"); }`,
    `answer() { local IFS=' '; printf '%s\\n' "\${COMPREPLY[*]-}"; }`,
    ...calls,
    'complete -p alibi',
  ].join('\n')
  const bash = Bun.spawn(['bash', '--norc', '-c', asked], { env: {}, stderr: 'inherit' })
  const answers = (await bash.stdout.text()).trimEnd().split('\n')
  expect(await bash.exited).toBe(0)
  expect(answers.pop()).toBe('complete -F _alibi alibi')
  return answers.map((answer) => answer.split(' ').filter(Boolean))
}

/** As bash hands a line over: an equals sign is a word of its own, also under the cursor. */
const typed = (line: string) => line.replace(/=/, ' = ').replace(/ = $/, ' =').split(' ')

describe('bash', () => {
  test('completes every command and its options', async () => {
    const commands = COMMANDS.map(({ name }) => name.split(' '))
    const names = await complete(commands)
    const options = await complete(commands.map((words) => [...words, '--']))
    for (const [index, { name, options: own }] of COMMANDS.entries()) {
      expect(names[index]).toContain(commands[index]?.at(-1) ?? '')
      const usages = [...own, ...COMMON_OPTIONS].map((option) => `--${option.name}`)
      expect([name, options[index]]).toEqual([name, usages])
    }
  })

  test('completes a line from what stands before the cursor', async () => {
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['', COMMAND_WORDS],
      ['re', ['revoke', 'reconcile', 'restore']],
      ['xy', []],
      ['--', ['--env-file', '--help', '--version']],
      ['--v', ['--version']],
      ['serve ', []],
      ['serve --version --', ['--env-file', '--help']],
      ['grant ', []],
      ['grant a', []],
      ['grant --j', ['--json']],
      ['grant anna@example.com --', ['--json', '--env-file', '--help']],
      ['--json gr', ['grant', 'grants']],
      ['purchases ', ['show']],
      ['purchases --review s', ['show']],
      ['purchases show ', []],
      ['purchases show --r', []],
      ['service ', SERVICE],
      ['service un', ['uninstall']],
      ['service start ', []],
      ['service install --r', ['--root']],
      ['service install --root ', ['<dirnames>']],
      ['service install --root=', ['<dirnames>']],
      ['service install --root=/m', ['<dirnames>']],
      ['service install --root /mnt --', ['--root', '--json', '--env-file', '--help']],
      ['help ', COMMAND_WORDS],
      ['help service ', SERVICE],
      ['help purchases ', ['show']],
      ['help service install ', []],
      ['completion ', ['bash']],
      ['completion bash ', []],
      ['backup ', ['<default>']],
      ['backup a.d', ['<default>']],
      ['backup a.db ', []],
      ['restore --yes ', ['<default>']],
      ['restore -- --', ['<default>']],
      ['serve --env-file ', ['<default>']],
      ['serve --env-file=', ['<default>']],
      ['--env-file=a.env ', COMMAND_WORDS],
      ['--env-file a.env pur', ['purchases']],
      ['reconcile --since ', []],
      ['reconcile --since=3', []],
      ['reconcile --since 30d --d', ['--dry-run']],
      ['doctor --mail-to ', []],
      ['doctor --mail-to anna@example.com --o', ['--offline']],
    ]
    const answers = await complete(rows.map(([line]) => typed(line)))
    expect(rows.map(([line], index) => [line, answers[index]])).toEqual(
      rows.map(([line, expected]) => [line, [...expected]]),
    )
  })

  test('finds the value of every option that has one', async () => {
    const options = [...COMMON_OPTIONS, ...COMMANDS.flatMap((command) => command.options)]
    const valued = [...new Set(options)].filter(({ type }) => type === 'string')
    const answers = await complete(
      valued.map(({ name }) => ['service', 'install', `--${name}`, '']),
    )
    const found = valued.map(({ name }, index) => [name, answers[index]?.join() ?? ''])
    expect(Object.fromEntries(found)).toEqual({
      credentials: '<dirnames>',
      currency: '',
      'database-url': '',
      'email-from': '',
      'env-file': '<default>',
      from: '',
      'mail-to': '',
      name: '',
      price: '',
      'public-url': '',
      'resend-key-file': '<default>',
      root: '<dirnames>',
      'smtp-url-file': '<default>',
      'stripe-key-file': '<default>',
      'webhook-secret-file': '<default>',
      since: '',
      to: '',
    })
  })
})
