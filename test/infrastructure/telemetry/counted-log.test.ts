import { expect, test } from 'bun:test'
import { countedLog } from '../../../infrastructure/telemetry/counted-log.ts'
import { recordingLog } from '../../support/fakes.ts'
import { recordingTelemetry } from '../../support/recording-telemetry.ts'

test('a counted log writes every line, and counts those about what is not in order', () => {
  const inner = recordingLog()
  const telemetry = recordingTelemetry()
  const log = countedLog(inner, telemetry)
  log('provider.called', { id: 0 })
  log('service.serving', { id: 1 })
  log('readiness.lost', { id: 2 })
  log('backup.failed')
  expect(inner.lines).toEqual([
    { level: 'debug', event: 'provider.called', fields: { id: 0 } },
    { level: 'info', event: 'service.serving', fields: { id: 1 } },
    { level: 'warn', event: 'readiness.lost', fields: { id: 2 } },
    { level: 'error', event: 'backup.failed', fields: {} },
  ])
  expect(telemetry.events).toEqual([
    { kind: 'logged', level: 'warn' },
    { kind: 'logged', level: 'error' },
  ])
})
