import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../domain/duration.ts'
import { probeBackups } from '../../../infrastructure/doctor/backups.ts'
import { fixedClock } from '../../support/fakes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('backups', () => {
  const probe = (folder: string, databasePath: string | null = null) =>
    probeBackups({ folder, everyMs: DAY_MS, keep: 7 }, { clock: fixedClock(), databasePath })

  test('are told by the newest', () => {
    const folder = temporaryFolder()
    expect(probe(folder)).toMatchObject({
      newest: null,
      trouble: null,
    })
    writeFileSync(join(folder, 'alibi-20260228T120000Z.db'), '12345')
    writeFileSync(join(folder, 'alibi-20260227T120000Z.db'), '1')
    writeFileSync(join(folder, 'alibi-20260301T120000Z.db.sha256'), '1')
    expect(probe(folder)).toMatchObject({
      newest: { ageMs: DAY_MS, bytes: 5 },
    })
  })

  test('of a moment that is still to come do not count', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'alibi-20270301T000000Z.db'), '1')
    expect(probe(folder).newest).toBeNull()
    writeFileSync(join(folder, 'alibi-20260228T120000Z.db'), '12345')
    expect(probe(folder).newest).toMatchObject({ bytes: 5 })
  })

  test('of a folder that is not there yet are none, and of what is no folder a trouble', () => {
    const folder = temporaryFolder()
    expect(probe(join(folder, 'later')).trouble).toBeNull()
    // The service makes the folder, and not the one around it.
    expect(probe(join(folder, 'no', 'later')).trouble).toBe('ENOENT')
    const state = join(folder, 'no')
    expect(probe(join(state, 'later'), join(state, 'alibi.db')).trouble).toBeNull()
    writeFileSync(join(folder, 'file'), '')
    expect(probe(join(folder, 'file')).trouble).toBe('ENOTDIR')
  })

  test('in a folder that the owner of the database cannot write to are a trouble, also for root', () => {
    if (process.getuid?.() !== 0) {
      process.stdout.write('not tested here: only root can give files away\n')
      return
    }
    const folder = temporaryFolder()
    const database = join(folder, 'alibi.db')
    writeFileSync(database, '')
    chownSync(database, 12_345, 12_345)
    chmodSync(folder, 0o755)
    expect(probe(folder, database).trouble).toBe('EACCES')
    expect(probe(join(folder, 'later'), database).trouble).toBe('EACCES')
    chownSync(folder, 12_345, 12_345)
    expect(probe(folder, database).trouble).toBeNull()
  })
})
