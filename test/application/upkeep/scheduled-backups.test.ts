import { describe, expect, test } from 'bun:test'

import {
  type Backup,
  type BackupFolder,
  scheduledBackups,
} from '../../../application/upkeep/scheduled-backups.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { fixedClock, NOON, recordingLog } from '../../support/fakes.ts'

const running = new AbortController().signal

/** A folder that refuses for as long as there is a reason. */
function memoryFolder() {
  let backups: readonly Backup[] = []
  const folder = {
    fault: null as Error | null,
    stuck: null as Error | null,
    made: 0,
    names: () => backups.map(({ name }) => name),
    list: async () => backups,
    async make(at: Date) {
      if (folder.fault) throw folder.fault
      folder.made++
      const backup = { name: at.toISOString(), at, bytes: 4096 }
      backups = [...backups, backup]
      return backup
    },
    async remove({ name }: Backup) {
      if (folder.stuck) throw folder.stuck
      backups = backups.filter((backup) => backup.name !== name)
    },
  }
  return folder satisfies BackupFolder
}

function open({ keep = 3, folder = memoryFolder() } = {}) {
  const clock = fixedClock()
  const log = recordingLog()
  const schedule = { everyMs: DAY_MS, keep }
  const start = () => scheduledBackups({ backupFolder: folder, clock, log }, schedule)
  return { folder, clock, log, start, backups: start() }
}

describe('scheduled backups', () => {
  test('the first is made at once, and the next when it is due', async () => {
    const { backups, folder, clock, log } = open()
    await backups.work(running)
    expect(folder.made).toBe(1)
    expect(await backups.findNewest()).toEqual({
      name: NOON.toISOString(),
      at: NOON,
      bytes: 4096,
    })
    for (let minute = 1; minute < 24 * 60; minute++) {
      clock.advance(MINUTE_MS)
      await backups.work(running)
    }
    expect(folder.made).toBe(1)
    clock.advance(MINUTE_MS)
    await backups.work(running)
    expect(folder.made).toBe(2)
    expect(log.lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
      'info backup.made',
      'info backup.made',
    ])
  })

  test('one of a moment that is still to come does not pass for the newest', async () => {
    const { backups, folder, clock } = open()
    await folder.make(new Date(clock.now().getTime() + 400 * DAY_MS))
    expect(await backups.findNewest()).toBeNull()
    await backups.work(running)
    expect((await backups.findNewest())?.at).toEqual(NOON)
  })

  test('a restart makes none that is not due', async () => {
    const { backups, start, folder, clock } = open()
    await backups.work(running)
    clock.advance(DAY_MS / 2)
    await start().work(running)
    expect(folder.made).toBe(1)
    clock.advance(DAY_MS / 2)
    await start().work(running)
    expect(folder.made).toBe(2)
  })

  test('so many are kept, and the oldest go only once a new one is there', async () => {
    const { backups, folder, clock } = open({ keep: 2 })
    for (let day = 0; day < 4; day++) {
      await backups.work(running)
      clock.advance(DAY_MS)
    }
    const names = folder.names()
    expect(names).toEqual(['2026-03-03T12:00:00.000Z', '2026-03-04T12:00:00.000Z'])

    folder.fault = new Error('the disk is full')
    await backups.work(running)
    expect(folder.names()).toEqual(names)
  })

  test('a failure is logged as an error, and tried again after ten minutes', async () => {
    const { backups, folder, clock, log } = open()
    folder.fault = new Error('no room', { cause: new Error('the disk is full') })
    await backups.work(running)
    const reason = 'no room: the disk is full'
    expect(log.lines).toEqual([{ level: 'error', event: 'backup.failed', fields: { reason } }])

    folder.fault = null
    clock.advance(9 * MINUTE_MS)
    await backups.work(running)
    expect(folder.made).toBe(0)
    clock.advance(MINUTE_MS)
    await backups.work(running)
    expect(folder.made).toBe(1)
  })

  test('a folder that cannot be read is a failure like any other', async () => {
    const { backups, folder, clock, log } = open()
    const { list } = folder
    folder.list = async () => {
      throw new Error('the folder is gone')
    }
    await backups.work(running)
    clock.advance(MINUTE_MS)
    await backups.work(running)
    const fields = { reason: 'the folder is gone' }
    expect(log.lines).toEqual([{ level: 'error', event: 'backup.failed', fields }])

    folder.list = list
    clock.advance(9 * MINUTE_MS)
    await backups.work(running)
    expect(folder.made).toBe(1)
  })

  test('an old backup that cannot be removed makes no new one worthless', async () => {
    const { backups, folder, clock, log } = open({ keep: 1 })
    folder.stuck = new Error('not permitted')
    await backups.work(running)
    clock.advance(DAY_MS)
    await backups.work(running)
    expect(folder.made).toBe(2)
    expect(log.lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { reason: 'an old backup could not be removed: not permitted' },
    })
    clock.advance(10 * MINUTE_MS)
    await backups.work(running)
    expect(folder.made).toBe(2)
  })

  test('one that ends because the service stops is no failure', async () => {
    const { backups, folder, log } = open()
    folder.fault = new Error('killed')
    await backups.work(AbortSignal.abort())
    expect(log.lines).toEqual([])
    folder.fault = null
    await backups.work(running)
    expect(folder.made).toBe(1)
  })
})
