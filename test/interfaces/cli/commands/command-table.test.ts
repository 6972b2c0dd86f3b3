import { expect, test } from 'bun:test'
import { COMMON_OPTIONS, VERSION_OPTION } from '../../../../interfaces/cli/command-words.ts'
import { COMMANDS } from '../../../../interfaces/cli/commands/command-table.ts'

test('every command has a name of its own, of one or two words', () => {
  const names = COMMANDS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)?(?: [a-z]+)?$/)
})

test('an option is the same in every command that takes it', () => {
  const options = [...COMMON_OPTIONS, VERSION_OPTION, ...COMMANDS.flatMap((one) => one.options)]
  const known = [...new Set(options)].map(({ name }) => name)
  expect(known.toSorted()).toEqual([...new Set(known)].toSorted())
})

test('help alone is not run: the command line answers it', () => {
  const answered = COMMANDS.filter((command) => !('run' in command))
  expect(answered.map(({ name }) => name)).toEqual(['help'])
})
