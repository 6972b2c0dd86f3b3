import { readdirSync, readFileSync } from 'node:fs'
import type { Registry } from 'prom-client'
import Counter from 'prom-client/lib/counter.js'
import { addGauges } from './instruments.ts'

/**
 * The state of the process at this moment, under the names that every Prometheus client uses:
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics. Leaves out what the system does not
 * say.
 */
export function addProcessMetrics(
  registry: Registry,
  { version, startedAt }: { version: string; startedAt: Date },
): void {
  addGauges(registry, {
    alibi_build_info: [
      'Which release runs, on which Bun.',
      [{ labels: { version, bun: Bun.version }, value: 1 }],
    ],
    process_start_time_seconds: [
      'When the process began, in Unix time.',
      startedAt.getTime() / 1000,
    ],
  })
  const { user, system } = process.cpuUsage()
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time spent.',
    registers: [registry],
  })
  cpu.inc((user + system) / 1_000_000)
  addGauges(registry, {
    process_resident_memory_bytes: ['Memory in use.', process.memoryUsage.rss()],
    process_open_fds: [
      'Open files and connections.',
      readIfThere(() => readdirSync('/proc/self/fd').length),
    ],
    process_max_fds: [
      'How many files and connections may be open.',
      readIfThere(() => {
        const limits = readFileSync('/proc/self/limits', 'utf8')
        const [, limit] = /^Max open files +(\d+)/m.exec(limits) ?? []
        return limit === undefined ? null : Number(limit)
      }),
    ],
  })
}

function readIfThere(read: () => number | null): number | null {
  try {
    return read()
  } catch {
    // Elsewhere than on Linux there is no such file.
    return null
  }
}
