import { expect, test } from 'bun:test'
import { restore } from '../../../../interfaces/cli/commands/restore.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

async function run({
  json = false,
  answer = true,
  kept = '/d/alibi.db.before' as string | null,
  hadChecksum = true,
  envFile = null as string | null,
  fault = null as Error | null,
} = {}) {
  const { lines, errorLines, print, printError } = recordedOutput()
  const events: string[] = []
  const outcome = await restore({
    file: '/b/one.db',
    envFile,
    prepare(onStep) {
      onStep('checking')
      return {
        databasePath: '/d/alibi.db',
        bytes: 4096,
        hadChecksum,
        version: '0004_operations',
        carryOut() {
          events.push('carried out')
          if (fault) throw fault
          return kept
        },
        end: () => void events.push('ended'),
      }
    },
    async confirm(question) {
      events.push(question)
      return answer
    },
    json,
    print,
    printError,
    progress: (line) => void events.push(line ?? 'cleared'),
  }).catch((error) => error)
  return { outcome, lines, errorLines, events }
}

const QUESTION =
  'Put /b/one.db (5 kB at 0004_operations, sound, its checksum is right) in the place of /d/alibi.db?'

test('checks first, then asks, then acts, and says what was done and how to go back', async () => {
  const { outcome, lines, events } = await run()
  expect(outcome).toBe(0)
  expect(events).toEqual(['checking …', 'cleared', QUESTION, 'carried out', 'cleared', 'ended'])
  expect(lines.slice(0, 3)).toEqual([
    'Restored /b/one.db (5 kB at 0004_operations, sound, its checksum is right) as /d/alibi.db.',
    'The old database is /d/alibi.db.before. To go back: alibi restore /d/alibi.db.before',
    'It stays there until you remove it.',
  ])
  expect(lines.join('\n')).toContain('alibi reconcile --since')
})

test('says how to go back in words that a shell takes, whatever the files are called', async () => {
  const { lines } = await run({ kept: '/my shop/alibi.db.before', envFile: '/my shop/alibi.env' })
  expect(lines.join('\n')).toContain(
    "alibi restore '/my shop/alibi.db.before' --env-file '/my shop/alibi.env'",
  )
})

test('changes nothing unless the answer is yes, and then exits with 1', async () => {
  const { outcome, lines, errorLines, events } = await run({ answer: false })
  expect(outcome).toBe(1)
  expect(events).toEqual(['checking …', 'cleared', QUESTION, 'ended'])
  expect(lines).toEqual([])
  expect(errorLines).toEqual(['alibi: nothing was changed'])
})

test('says so when there was no checksum, and when there was no database', async () => {
  const { lines } = await run({ hadChecksum: false, kept: null })
  expect(lines[0]).toContain('no checksum beside it')
  expect(lines[1]).toBe('There was no database before.')
})

test('writes JSON on request', async () => {
  const { lines } = await run({ json: true })
  expect(JSON.parse(lines.join())).toEqual({
    restored: '/b/one.db',
    database: '/d/alibi.db',
    bytes: 4096,
    hadChecksum: true,
    version: '0004_operations',
    kept: '/d/alibi.db.before',
  })
})

test('tidies up when it fails, and leaves the failure to be reported', async () => {
  const { outcome, events } = await run({ fault: new Error('in use') })
  expect(outcome).toEqual(new Error('in use'))
  expect(events.at(-1)).toBe('ended')
})

test('advises commands that read the same settings file', async () => {
  const { lines } = await run({ envFile: '/etc/alibi/alibi.env' })
  expect(lines.join('\n').match(/alibi re\w+ .*$/gm)).toEqual([
    'alibi restore /d/alibi.db.before --env-file /etc/alibi/alibi.env',
    'alibi reconcile --since 60d --env-file /etc/alibi/alibi.env',
  ])
})
