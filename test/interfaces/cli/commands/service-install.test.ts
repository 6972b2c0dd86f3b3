import { describe, expect, test } from 'bun:test'
import type { InstallReport } from '../../../../application/upkeep/reports.ts'
import { serviceInstall } from '../../../../interfaces/cli/commands/service-install.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

describe('service install', () => {
  const NEW: InstallReport = {
    files: [
      { path: '/usr/local/bin/alibi', change: 'created' },
      { path: '/etc/alibi/alibi.env', change: 'kept' },
    ],
    enabled: true,
    restarted: false,
    nameServers: [],
    service: { active: false, enabled: true },
  }
  const SAME: InstallReport = {
    files: [{ path: '/usr/local/bin/alibi', change: 'unchanged' }],
    enabled: false,
    restarted: false,
    nameServers: [],
    service: { active: true, enabled: true },
  }

  async function run(report: InstallReport, json = false) {
    const output = recordedOutput()
    const install = async () => report
    const exitCode = await serviceInstall({ ...output, install, version: '1.2.3', json })
    expect(exitCode).toBe(0)
    return output.lines
  }

  test('says what became of each file, that the service does not run yet, and what is left to do', async () => {
    const lines = await run(NEW)
    expect(lines.slice(0, 6)).toEqual([
      'created  /usr/local/bin/alibi',
      'kept     /etc/alibi/alibi.env',
      'The service is enabled: it starts with the machine.',
      'The service does not run yet.',
      '',
      'Next:',
    ])
    expect(lines.join('\n')).toContain('sudo alibi doctor --env-file /etc/alibi/alibi.env')
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  })

  test('says that nothing has changed, and no next steps where the service runs', async () => {
    expect(await run(SAME)).toEqual([
      'Nothing to change: alibi 1.2.3 is installed.',
      'The service runs, and was left alone.',
    ])
  })

  test('says that a service that ran was started anew', async () => {
    const upgraded = { path: '/usr/local/bin/alibi', change: 'replaced' } as const
    expect(await run({ ...SAME, files: [upgraded], restarted: true })).toEqual([
      'replaced  /usr/local/bin/alibi',
      'The service was started anew, and serves.',
    ])
  })

  test('says when only a mode was wrong', async () => {
    const mended = { path: '/usr/local/bin/alibi', change: 'mended' } as const
    expect((await run({ ...SAME, files: [mended] }))[0]).toBe('mended  /usr/local/bin/alibi')
  })

  test('says when the service does not start with the machine, and what to do about it', async () => {
    const lines = await run({ ...SAME, service: { active: true, enabled: false } })
    expect(lines).toContain(
      'The service does not start with the machine: "sudo systemctl enable alibi" lets it.',
    )
  })

  test('says which name server the service may reach beside what is denied to it', async () => {
    const nameServers = ['169.254.169.253', 'fe80::1']
    expect(await run({ ...SAME, nameServers })).toEqual([
      'Nothing to change: alibi 1.2.3 is installed.',
      'The service may reach the name server 169.254.169.253, as /etc/resolv.conf has it.',
      'The service may reach the name server fe80::1, as /etc/resolv.conf has it.',
      'The service runs, and was left alone.',
    ])
    const [line = ''] = await run({ ...SAME, nameServers }, true)
    expect(JSON.parse(line)).toMatchObject({ nameServers })
  })

  test('says when no systemd was asked', async () => {
    const lines = await run({ ...NEW, service: null })
    expect(lines).toContain('No systemd was asked: it finds the service when it starts the system.')
    expect(lines).not.toContain('The service does not run yet.')
  })

  test('says the same in JSON', async () => {
    const [line = '', ...others] = await run(NEW, true)
    expect(others).toEqual([])
    expect(JSON.parse(line)).toEqual({
      version: '1.2.3',
      files: NEW.files,
      enabled: true,
      restarted: false,
      nameServers: [],
      active: false,
    })
  })
})
