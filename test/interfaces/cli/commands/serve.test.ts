import { expect, test } from 'bun:test'
import type { Service } from '../../../../interfaces/cli/command-context.ts'
import { serve } from '../../../../interfaces/cli/commands/serve.ts'
import { recordingLog } from '../../../support/fakes.ts'

/** A service that keeps what becomes of it; `isStuck` says whether its own work never ends. */
function recordedService({ isStuck }: { isStuck: boolean }) {
  const steps: string[] = []
  const { promise: stopRequested, resolve: stop } = Promise.withResolvers<string>()
  const log = recordingLog()
  const service: Service = {
    listener: {
      url: 'http://127.0.0.1:3000',
      port: 3000,
      use: () => void steps.push('answers'),
      drain: async () => void steps.push('parts'),
      stop: async () => void steps.push('stops listening'),
    },
    handler: async () => new Response(),
    publicUrl: 'https://alibi.example',
    version: '1.2.3',
    log,
    supervisor: {
      watchdogTimeoutMs: null,
      starting() {},
      ready: (status) => void steps.push(`ready: ${status}`),
      pingWatchdog() {},
      stopping: () => void steps.push('stopping'),
    },
    stopRequested,
    async work() {
      steps.push('works')
      await (isStuck ? new Promise(() => {}) : stopRequested)
    },
    leave: async () => void steps.push('leaves'),
    close: () => void steps.push('closes'),
  }
  return { service, steps, stop, log }
}

test('answers before it says that it is ready, and closes only when nothing is under way', async () => {
  const { service, steps, stop, log } = recordedService({ isStuck: false })
  const ended = serve(service, { wait: () => new Promise(() => {}) })
  const begun = ['answers', 'ready: serves at http://127.0.0.1:3000, version 1.2.3', 'works']
  expect(steps).toEqual(begun)
  stop('SIGTERM')
  expect(await ended).toBe(0)
  expect(steps).toEqual([...begun, 'stopping', 'parts', 'stops listening', 'leaves', 'closes'])
  expect(log.lines.map(({ event }) => event)).toEqual([
    'service.serving',
    'service.stopping',
    'service.stopped',
  ])
})

test('closes, and says so, when its work does not end in time', async () => {
  const { service, steps, stop, log } = recordedService({ isStuck: true })
  stop('SIGINT')
  expect(await serve(service, { wait: async () => {} })).toBe(1)
  expect(steps).not.toContain('leaves')
  expect(steps.at(-1)).toBe('closes')
  expect(log.lines.at(-1)).toMatchObject({
    level: 'warn',
    event: 'service.stopped_early',
  })
})
