import { expect, test } from 'bun:test'
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeRights } from '../../../infrastructure/rights/effective-user.ts'
import { isPlayable } from '../../support/executable/foreign-state.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const OTHER = { uid: 4242, gid: 4243 }

/** A file that only root may read, in a folder of another user. */
function open() {
  const folder = temporaryFolder()
  const file = join(folder, 'of-root')
  writeFileSync(file, 'only for root', { mode: 0o600 })
  chownSync(folder, OTHER.uid, OTHER.gid)
  chmodSync(folder, 0o700)
  return { folder, file }
}

if (isPlayable('the rights of others')) {
  test('with the rights of another user, what is made is that user’s, and root’s files are closed to all threads', async () => {
    const { folder, file } = open()
    const rights = takeRights(OTHER)
    const refused = []
    try {
      writeFileSync(join(folder, 'made'), '')
      await writeFile(join(folder, 'made later'), '')
      for (const read of [readFile, (path: string) => Bun.file(path).text()]) {
        refused.push(await read(file).then(String, ({ code }) => code))
      }
      expect(() => readFileSync(file)).toThrow('EACCES')
      expect(rights.asCaller(() => readFileSync(file, 'utf8'))).toBe('only for root')
      expect(() => readFileSync(file)).toThrow('EACCES')
    } finally {
      rights.giveBack()
    }
    expect(refused).toEqual(['EACCES', 'EACCES'])
    expect(readFileSync(file, 'utf8')).toBe('only for root')
    for (const name of ['made', 'made later']) {
      expect(statSync(join(folder, name))).toMatchObject(OTHER)
    }
  })

  test('the real user stays root, so that the other one can neither stop the process nor read it', () => {
    const rights = takeRights(OTHER)
    try {
      const [, uids] = /^Uid:\t(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
      expect(uids).toBe(`0\t${OTHER.uid}\t0\t${OTHER.uid}`)
    } finally {
      rights.giveBack()
    }
  })

  test('the group of root is nobody’s to take over', () => {
    const rights = takeRights({ ...OTHER, gid: 0 })
    try {
      expect(process.getegid?.()).toBe(65_534)
      expect(process.getgroups?.().filter((group) => group !== 65_534)).toEqual([])
    } finally {
      rights.giveBack()
    }
    expect([process.geteuid?.(), process.getegid?.()]).toEqual([0, 0])
  })

  test('work that throws leaves the rights as they were', () => {
    const rights = takeRights(OTHER)
    try {
      const failing = () => {
        throw new Error('failed')
      }
      expect(() => rights.asCaller(failing)).toThrow('failed')
      expect(process.geteuid?.()).toBe(OTHER.uid)
    } finally {
      rights.giveBack()
    }
  })
}
