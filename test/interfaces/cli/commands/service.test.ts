import { describe, expect, test } from 'bun:test'
import type { ServiceState } from '../../../../application/ports.ts'
import type { InstallReport } from '../../../../interfaces/cli/command-context.ts'
import { serviceInstall } from '../../../../interfaces/cli/commands/service-install.ts'
import { serviceStatus } from '../../../../interfaces/cli/commands/service-status.ts'
import { serviceUninstall } from '../../../../interfaces/cli/commands/service-uninstall.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

describe('service install', () => {
  const NEW: InstallReport = {
    files: [
      { path: '/usr/local/bin/alibi', change: 'created' },
      { path: '/etc/alibi/alibi.env', change: 'kept' },
    ],
    enabled: true,
    restarted: false,
    service: { active: false, enabled: true },
  }
  const SAME: InstallReport = {
    files: [{ path: '/usr/local/bin/alibi', change: 'unchanged' }],
    enabled: false,
    restarted: false,
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

  test('says that a service that ran was restarted', async () => {
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
      active: false,
    })
  })
})

describe('service uninstall', () => {
  async function run({ isInstalled = true, answer = true, json = false } = {}) {
    const output = recordedOutput()
    const questions: string[] = []
    let isDone = false
    const exitCode = await serviceUninstall({
      ...output,
      isInstalled,
      json,
      async uninstall() {
        isDone = true
        return {
          removed: isInstalled ? ['/usr/local/bin/alibi'] : [],
          kept: ['/etc/alibi', '/var/lib/alibi'],
        }
      },
      async confirm(question) {
        questions.push(question)
        return answer
      },
    })
    return { exitCode, questions, isDone, lines: output.lines, errorLines: output.errorLines }
  }

  test('asks, and says what it has taken away and what is still there', async () => {
    const { exitCode, questions, isDone, lines } = await run()
    expect({ exitCode, isDone }).toEqual({ exitCode: 0, isDone: true })
    expect(questions).toEqual([expect.stringContaining('Its data stays.')])
    expect(lines).toEqual([
      'removed  /usr/local/bin/alibi',
      'kept     /etc/alibi',
      'kept     /var/lib/alibi',
    ])
  })

  test('does nothing unless the answer is yes', async () => {
    expect(await run({ answer: false, json: true })).toMatchObject({
      exitCode: 1,
      isDone: false,
      lines: [],
      errorLines: ['alibi: nothing was changed'],
    })
  })

  test('where nothing is installed it asks nothing, and says so', async () => {
    const { exitCode, questions, lines } = await run({ isInstalled: false })
    expect({ exitCode, questions }).toEqual({ exitCode: 0, questions: [] })
    expect(lines[0]).toBe('The service is not installed.')
  })

  test('says the same in JSON', async () => {
    const { lines } = await run({ json: true })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { removed: ['/usr/local/bin/alibi'], kept: ['/etc/alibi', '/var/lib/alibi'] },
    ])
  })
})

describe('service status', () => {
  const RUNNING: ServiceState = {
    installed: true,
    enabled: true,
    active: true,
    state: 'active (running)',
    since: '2026-11-21T23:29:45Z',
    pid: 181,
    status: 'serves at http://127.0.0.1:3000, version 1.2.3',
    restarts: 0,
    needsReload: false,
    lastExit: null,
  }

  async function run(report: ServiceState, json = false) {
    const output = recordedOutput()
    const exitCode = await serviceStatus({ ...output, readState: async () => report, json })
    return { exitCode, lines: output.lines }
  }

  test('says how a service does that runs, and exits with 0', async () => {
    expect(await run(RUNNING)).toEqual({
      exitCode: 0,
      lines: [
        'alibi.service:',
        '  state     active (running) since 2026-11-21T23:29:45Z',
        '  enabled   yes: it starts with the machine',
        '  process   181',
        '  says      serves at http://127.0.0.1:3000, version 1.2.3',
        '  restarts  0',
      ],
    })
  })

  test('says how a service ended that does not run, where to look, and exits with 1', async () => {
    const failed = {
      ...RUNNING,
      enabled: false,
      active: false,
      state: 'failed (failed)',
      pid: null,
      status: null,
      lastExit: 'exit code 78',
    }
    expect(await run(failed)).toEqual({
      exitCode: 1,
      lines: [
        'alibi.service:',
        '  state       failed (failed) since 2026-11-21T23:29:45Z',
        '  enabled     no',
        '  restarts    0',
        '  ended with  exit code 78',
        '  look at     journalctl -u alibi -n 20',
      ],
    })
  })

  test('says when systemd has not read the unit that is there', async () => {
    const { lines } = await run({ ...RUNNING, needsReload: true })
    expect(lines).toContain(
      '  unit      changed since systemd read it: sudo systemctl daemon-reload',
    )
  })

  test('says how to install a service that is not installed, and exits with 1', async () => {
    expect(await run({ ...RUNNING, installed: false, active: false })).toEqual({
      exitCode: 1,
      lines: ['The service is not installed: sudo alibi service install'],
    })
  })

  test('says all of it in JSON, with the same exit code', async () => {
    for (const report of [RUNNING, { ...RUNNING, active: false }]) {
      const { exitCode, lines } = await run(report, true)
      expect(exitCode).toBe(report.active ? 0 : 1)
      expect(lines.map((line) => JSON.parse(line))).toEqual([report])
    }
  })

  test('fails with a clear line where no systemd runs', async () => {
    const output = recordedOutput()
    const asked = serviceStatus({ ...output, readState: null, json: false })
    await expect(asked).rejects.toThrow('this machine is not run by systemd')
  })
})
