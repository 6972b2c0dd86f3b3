import { expect, test } from 'bun:test'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { isJournal } from '../../../infrastructure/systemd/journal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('the journal is what has the device and the inode that systemd has named, and nothing else', () => {
  const folder = temporaryFolder()
  const [one, other] = ['one', 'other'].map((name) => openSync(join(folder, name), 'w'))
  const { dev, ino } = fstatSync(one!, { bigint: true })
  try {
    expect(isJournal(one!, `${dev}:${ino}`)).toBe(true)
    expect(isJournal(other!, `${dev}:${ino}`)).toBe(false)
    for (const said of [undefined, '', 'nonsense', `${ino}:${dev}`, `${dev}:${ino}0`]) {
      expect(isJournal(one!, said)).toBe(false)
    }
  } finally {
    closeSync(one!)
    closeSync(other!)
  }
})
