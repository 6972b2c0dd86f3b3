import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../domain/duration.ts'
import { checkBackups } from '../../../infrastructure/doctor/backups.ts'
import { CALLERS_RIGHTS } from '../../../infrastructure/rights/effective-user.ts'
import { fixedClock } from '../../support/fakes.ts'
import { linesOf } from '../../support/findings.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function found(folder: string, { databasePath = null, everyMs = DAY_MS } = {} as Own): string {
  const around = { clock: fixedClock(), databasePath, rights: CALLERS_RIGHTS }
  return linesOf(checkBackups({ folder, everyMs, keep: 7 }, around)).join()
}
type Own = { databasePath?: string | null; everyMs?: number }

describe('the check of the backups', () => {
  test('warns where the service makes none, or has made none yet', () => {
    const around = { clock: fixedClock(), databasePath: null, rights: CALLERS_RIGHTS }
    expect(linesOf(checkBackups(null, around)).join()).toMatch(/^warning .+BACKUP_DIR is not set/)
    const folder = temporaryFolder()
    expect(found(folder)).toBe(`warning backups: there is none in ${folder} yet`)
  })

  test('tells the age and the size of the newest, and warns where it is too old', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'alibi-20260227T120000Z.db'), '1')
    expect(found(folder)).toStartWith('ok backups: the newest is 2 days old, 1 kB')
    writeFileSync(join(folder, 'alibi-20260228T120000Z.db'), '12345')
    writeFileSync(join(folder, 'alibi-20260301T120000Z.db.sha256'), '1')
    // One of a moment that is still to come does not count.
    writeFileSync(join(folder, 'alibi-20270301T000000Z.db'), '1')
    expect(found(folder)).toBe(`ok backups: the newest is 24 h old, 1 kB, in ${folder}`)
    expect(found(folder, { everyMs: DAY_MS / 2 })).toStartWith('ok ')
    expect(found(folder, { everyMs: DAY_MS / 2 - 1 })).toMatch(
      /^warning .+: one should be made every 11 h$/,
    )
  })

  test('takes a folder that the service will make for one without any, and fails where it cannot', () => {
    const folder = temporaryFolder()
    expect(found(join(folder, 'later'))).toContain('there is none in')
    // The service makes the folder, and not the one around it, unless the database is to be in that.
    const deep = join(folder, 'no', 'later')
    expect(found(deep)).toMatch(/^failed .+\(ENOENT\)$/)
    const databasePath = join(folder, 'no', 'alibi.db')
    expect(found(deep, { databasePath })).toContain('there is none in')
    writeFileSync(join(folder, 'file'), '')
    expect(found(join(folder, 'file'))).toMatch(/^failed .+\(ENOTDIR\)$/)
  })

  test('fails where the owner of the database cannot write to the folder, also for root', () => {
    if (process.getuid?.() !== 0) {
      process.stdout.write('not tested here: only root can give files away\n')
      return
    }
    const folder = temporaryFolder()
    const databasePath = join(folder, 'alibi.db')
    const backups = join(folder, 'backups')
    writeFileSync(databasePath, '')
    chownSync(databasePath, 12_345, 12_345)
    chmodSync(folder, 0o755)
    mkdirSync(backups)
    expect(found(backups, { databasePath })).toMatch(/^failed .+\(EACCES\)$/)
    expect(found(join(folder, 'later'), { databasePath })).toMatch(/^failed .+\(EACCES\)$/)
    chownSync(backups, 12_345, 12_345)
    expect(found(backups, { databasePath })).toContain('there is none in')
  })
})
