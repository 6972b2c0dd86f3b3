import { expect, test } from 'bun:test'
import {
  closeSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { openFolder } from '../../../infrastructure/rights/state-folder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const STRANGER = 61_234

test('a folder is opened through a link of its owner', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'link'))
  const opened = openFolder(join(folder, 'link'))
  expect(fstatSync(opened).ino).toBe(statSync(join(folder, 'real')).ino)
  closeSync(opened)
})

test.if(process.geteuid?.() === 0)(
  'through a link of somebody else it is not, and nothing stays open',
  () => {
    const folder = temporaryFolder()
    symlinkSync('.', join(folder, 'link'))
    lchownSync(join(folder, 'link'), STRANGER, STRANGER)
    const before = readdirSync('/proc/self/fd')
    expect(() => openFolder(join(folder, 'link'))).toThrow(`of user ${STRANGER} to what belongs`)
    expect(readdirSync('/proc/self/fd')).toEqual(before)
  },
)
