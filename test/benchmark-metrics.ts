import type { Telemetry } from '../application/telemetry.ts'
import { prometheusMetrics } from '../infrastructure/prometheus/prometheus-metrics.ts'
import { NO_TELEMETRY } from '../infrastructure/telemetry/instrumented.ts'
import { createHandler } from '../interfaces/http/handler.ts'
import { fakePorts } from './support/fakes.ts'
import { unlimitedOptions } from './support/http/http-options.ts'

// What a request costs more for being measured: `bun run bench:metrics`.

const ROUNDS = 10
const REQUESTS = 500
const EVENTS = 20_000

const EVENT = {
  kind: 'request_answered',
  method: 'GET',
  route: '/languages',
  status: 200,
  ms: 1,
} as const

const metrics = prometheusMetrics({ monotonicMs: () => performance.now() })
const log = () => {}
const handlerWith = (telemetry: Telemetry) =>
  createHandler(unlimitedOptions({ ...fakePorts(), log, telemetry }))

async function microseconds(handler: ReturnType<typeof createHandler>): Promise<number> {
  const startedAt = performance.now()
  for (let request = 0; request < REQUESTS; request++) {
    await handler(new Request('http://localhost/languages'), () => '192.0.2.1')
  }
  return ((performance.now() - startedAt) / REQUESTS) * 1000
}

const without = handlerWith(NO_TELEMETRY)
const measured = handlerWith(metrics.telemetry)
const times: { without: number[]; measured: number[] } = { without: [], measured: [] }
for (let round = 0; round < ROUNDS; round++) {
  times.without.push(await microseconds(without))
  times.measured.push(await microseconds(measured))
}
const startedAt = performance.now()
for (let count = 0; count < EVENTS; count++) metrics.telemetry.record(EVENT)
const own = ((performance.now() - startedAt) / EVENTS) * 1000

const [plain, counted] = [Math.min(...times.without), Math.min(...times.measured)]
console.log(
  `a request takes ${plain.toFixed(0)} µs without metrics and ${counted.toFixed(0)} µs with them ` +
    `(${(counted / plain).toFixed(2)}); to record an answer takes ${own.toFixed(2)} µs`,
)
metrics.stop()
