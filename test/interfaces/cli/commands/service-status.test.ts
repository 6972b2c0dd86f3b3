import { describe, expect, test } from 'bun:test'
import type { ServiceState } from '../../../../application/ports.ts'
import { serviceStatus } from '../../../../interfaces/cli/commands/service-status.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

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
