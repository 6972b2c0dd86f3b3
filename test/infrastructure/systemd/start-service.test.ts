import { beforeEach, describe, expect, test } from 'bun:test'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../../../infrastructure/systemd/start-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const STARTED_AT = new Date('2026-11-24T12:00:00Z')

let file: string
beforeEach(() => {
  file = join(temporaryFolder(), 'alibi.env')
  writeFileSync(file, '')
  utimesSync(file, STARTED_AT, STARTED_AT)
})

/** A systemd whose service is in this state. */
function systemd(state: string, { fails = false } = {}) {
  const acts: string[] = []
  async function systemctl(...parameters: readonly string[]): Promise<string> {
    if (parameters[0] === 'show') {
      return `LoadState=loaded\nActiveState=${state}\nStateChangeTimestamp=Tue 2026-11-24 12:00:00 UTC\n`
    }
    acts.push(parameters.join(' '))
    if (fails) throw new Error('it failed')
    return ''
  }
  return { acts, systemctl }
}

describe('startService', () => {
  test.each([
    ['inactive', false, 'started', ['start alibi.service']],
    ['failed', true, 'started', ['start alibi.service']],
    ['activating', false, 'restarted', ['restart alibi.service']],
    ['active', true, 'restarted', ['restart alibi.service']],
    ['active', false, 'running', []],
  ] as const)(
    'of a service that is %s, with changed settings: %p, makes it %s',
    async (state, isChanged, done, acts) => {
      const { systemctl, ...seen } = systemd(state)
      expect(await startService(systemctl, { isChanged, files: [file] })).toBe(done)
      expect(seen.acts).toEqual([...acts])
    },
  )

  test('starts a service anew that an earlier run has left with its old settings', async () => {
    const later = new Date(STARTED_AT.getTime() + 1000)
    utimesSync(file, later, later)
    const { systemctl, acts } = systemd('active')
    expect(await startService(systemctl, { isChanged: false, files: [file] })).toBe('restarted')
    expect(acts).toEqual(['restart alibi.service'])
  })

  test('says where to look when it does not start', async () => {
    const { systemctl } = systemd('inactive', { fails: true })
    const started = startService(systemctl, { isChanged: true, files: [] })
    await expect(started).rejects.toThrow('journalctl -u alibi')
  })
})
