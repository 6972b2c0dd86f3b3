import { expect, test } from 'bun:test'
import { countedLog } from '../../../infrastructure/telemetry/counted-log.ts'
import { recordingLog } from '../../support/fakes.ts'
import { recordingTelemetry } from '../../support/recording-telemetry.ts'

test('a counted log writes every line, and counts those about what is not in order', () => {
  const inner = recordingLog()
  const telemetry = recordingTelemetry()
  const log = countedLog(inner, telemetry)
  log.debug('z', { id: 0 })
  log.info('a', { id: 1 })
  log.warn('b', { id: 2 })
  log.error('c')
  expect(inner.lines).toEqual([
    { level: 'debug', event: 'z', fields: { id: 0 } },
    { level: 'info', event: 'a', fields: { id: 1 } },
    { level: 'warn', event: 'b', fields: { id: 2 } },
    { level: 'error', event: 'c', fields: {} },
  ])
  expect(telemetry.events).toEqual([
    { kind: 'logged', level: 'warn' },
    { kind: 'logged', level: 'error' },
  ])
})
