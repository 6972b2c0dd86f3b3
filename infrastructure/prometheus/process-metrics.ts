import { readdirSync, readFileSync } from 'node:fs'
import type { Registry } from 'prom-client'
import Counter from 'prom-client/lib/counter.js'
import { gauge } from './instruments.ts'

/**
 * The state of the process at this moment, under the names that every Prometheus client uses:
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics. Leaves out what the system does not
 * say.
 */
export function addProcessMetrics(
  registry: Registry,
  { version, startedAt }: { version: string; startedAt: Date },
): void {
  gauge(registry, { name: 'alibi_build_info', help: 'Which release runs, on which Bun.' }, [
    { labels: { version, bun: Bun.version }, value: 1 },
  ])
  gauge(
    registry,
    { name: 'process_start_time_seconds', help: 'When the process began, in Unix time.' },
    [{ value: startedAt.getTime() / 1000 }],
  )
  const { user, system } = process.cpuUsage()
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time spent.',
    registers: [registry],
  })
  cpu.inc((user + system) / 1_000_000)
  gauge(registry, { name: 'process_resident_memory_bytes', help: 'Memory in use.' }, [
    { value: process.memoryUsage.rss() },
  ])
  gauge(
    registry,
    { name: 'process_open_fds', help: 'Open files and connections.' },
    sampleOf(() => readdirSync('/proc/self/fd').length),
  )
  gauge(
    registry,
    { name: 'process_max_fds', help: 'How many files and connections may be open.' },
    sampleOf(() => {
      const [, limit] =
        /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
      return limit === undefined ? null : Number(limit)
    }),
  )
}

function sampleOf(read: () => number | null): { value: number }[] {
  try {
    const value = read()
    return value === null ? [] : [{ value }]
  } catch {
    // Elsewhere than on Linux there is no such file.
    return []
  }
}
