import { expect, test } from 'bun:test'
import { parseCommandLine } from '../../../../interfaces/cli/command-line.ts'
import { COMMANDS } from '../../../../interfaces/cli/commands/command-table.ts'
import {
  contentCheck,
  contentCheckCommand,
} from '../../../../interfaces/cli/commands/content-check.ts'
import { excuse } from '../../../support/fakes.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

const SLIP = {
  file: 'en.json',
  line: 3,
  language: 'en',
  message: 'two dots',
  level: 'warning',
} as const
const FAULT = { ...SLIP, level: 'error' } as const
const ENGLISH = {
  file: 'en.json',
  language: 'en',
  strings: new Map([['title', { text: 'Poems', line: 2 }]]),
  reasons: [
    { ...excuse('Rain..'), line: 3 },
    { ...excuse('\u{1F3AD}'), line: 4 },
  ],
} as const

function check({
  problems = [],
  strict = false,
  json = false,
}: {
  problems?: Parameters<typeof contentCheck>[0]['content']['problems']
  strict?: boolean
  json?: boolean
}) {
  const { lines, print } = recordedOutput()
  const french = { file: 'fr.json', language: 'fr', strings: null, reasons: null } as const
  const content = { files: [ENGLISH, french], problems }
  return { exitCode: contentCheck({ content, strict, json, print }), lines }
}

test('counts what there is in each language, and measures excuses in code points', () => {
  expect(check({})).toEqual({
    exitCode: 0,
    lines: [
      'language  strings  excuses  shortest  average  longest',
      'en        1        2        1         4        6',
      'fr        -        -        -         -        -',
      'languages: 2, errors: 0, slips: 0',
    ],
  })
})

test('a slip is printed and is no failure, unless the caller is strict', () => {
  const { exitCode, lines } = check({ problems: [SLIP] })
  expect(exitCode).toBe(0)
  expect(lines.slice(-2)).toEqual([
    'warning: en.json:3 (en): two dots',
    'languages: 2, errors: 0, slips: 1',
  ])
  expect(check({ problems: [SLIP], strict: true }).exitCode).toBe(1)
  expect(check({ strict: true }).exitCode).toBe(0)
})

test('what cannot be served is a failure', () => {
  const { exitCode, lines } = check({ problems: [FAULT, SLIP] })
  expect(exitCode).toBe(1)
  expect(lines.slice(-3)).toEqual([
    'error: en.json:3 (en): two dots',
    'warning: en.json:3 (en): two dots',
    'languages: 2, errors: 1, slips: 1',
  ])
})

test('writes one JSON object when asked to', () => {
  const { lines } = check({ problems: [FAULT], json: true })
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines.join())).toEqual({
    isServable: false,
    languages: [
      { language: 'en', strings: 1, excuses: 2, shortest: 1, average: 4, longest: 6, counts: null },
      {
        language: 'fr',
        strings: null,
        excuses: null,
        shortest: null,
        average: null,
        longest: null,
        counts: null,
      },
    ],
    problems: [{ file: 'en.json', line: 3, language: 'en', message: 'two dots', level: 'error' }],
  })
})

test('takes a folder, and --strict or not', () => {
  const options = { envFile: null, json: false }
  const asked = (strict: boolean) => ({
    command: contentCheckCommand,
    asked: { folder: 'texts', strict },
    options,
  })
  expect(parseCommandLine(['content', 'check', 'texts'], COMMANDS)).toEqual(asked(false))
  expect(parseCommandLine(['content', 'check', 'texts', '--strict'], COMMANDS)).toEqual(asked(true))
  expect(parseCommandLine(['content', 'check'], COMMANDS)).toEqual({
    usageError: 'content check needs FOLDER: alibi content check FOLDER',
  })
})
