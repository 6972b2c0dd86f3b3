import { expect, test } from 'bun:test'
import { backup } from '../../../../interfaces/cli/commands/backup.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

const REPORT = { file: '/b/one.db', bytes: 1_234_567, sha256: 'abc', version: '0004_operations' }

function run({ json = false, fault = null as Error | null } = {}) {
  const { lines, print } = recordedOutput()
  const shown: (string | null)[] = []
  let milliseconds = 0
  const act = () =>
    backup({
      backUp(onStep) {
        onStep('copying')
        if (fault) throw fault
        return REPORT
      },
      monotonicMs: () => (milliseconds += 1500),
      json,
      print,
      progress: (line) => void shown.push(line),
    })
  return { act, lines, shown }
}

test('says where the backup is, how large it is, and where its checksum is', () => {
  const { act, lines, shown } = run()
  expect(act()).toBe(0)
  expect(lines).toEqual([
    'Backed up into /b/one.db: 1.2 MB at 0004_operations, checked, in 1.5 s.',
    'Its checksum is in /b/one.db.sha256: abc',
  ])
  expect(shown).toEqual(['copying …', null])
})

test('writes JSON on request', () => {
  const { act, lines } = run({ json: true })
  expect(act()).toBe(0)
  expect(JSON.parse(lines.join())).toEqual({ ...REPORT, seconds: 1.5 })
})

test('a failure is left to be reported, and the progress is taken away', () => {
  const { act, lines, shown } = run({ fault: new Error('disk full') })
  expect(act).toThrow('disk full')
  expect(lines).toEqual([])
  expect(shown.at(-1)).toBeNull()
})
