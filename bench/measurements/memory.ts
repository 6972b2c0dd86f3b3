import { join } from 'node:path'
import { get, writeRequests } from '../load/request-file.ts'
import { load } from '../load/wrk.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import { PREMIUM_REASONS } from '../scenarios/reading.ts'
import { startBare } from '../servers/bare.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'
import type { Measurement, Outcome } from './measurement.ts'

const IDLE_MS = 10_000
const REQUESTS = 1_000_000
const SECONDS_MAX = 3600

type Memory = { started: number; idle: number; loaded: number; rested: number }

/** The memory in use: after the start, after ten seconds without a request, and after a million requests. */
export const MEMORY: Measurement = {
  name: 'memory',
  runs: 'unless short',
  async measure(run: Run): Promise<Outcome> {
    const path = join(run.folder, 'requests')
    const step = progress('memory after a million requests')
    step(0)
    const bare = await startBare(run.executables.bare)
    const ofBare = await memoryOf(bare, { path, requests: async () => [get('/')] })
    step(0.3)

    const { addresses } = run.options
    const alibi = await run.startAlibi()
    const { url, database } = alibi
    const stage = { url, database, addresses, tokens: PREMIUM_REASONS.tokens }
    const ofAlibi = await memoryOf(alibi, {
      path,
      requests: () =>
        PREMIUM_REASONS.requests({ ...stage, takeNumbers: run.takeNumbers }, REQUESTS),
    })
    step(1)

    const rows = [rowOf('bare server', ofBare, ofBare.idle), rowOf('alibi', ofAlibi, ofBare.idle)]
    const head = [
      'MiB in use',
      'started',
      'idle',
      "of bare's idle",
      'after a million requests',
      'of its own idle',
      '10 s later',
    ]
    return { table: { name: 'memory', head, rows }, raw: { bare: ofBare, alibi: ofAlibi } }
  },
}

async function memoryOf(
  server: MeasuredServer,
  { path, requests }: { path: string; requests: () => Promise<readonly string[]> },
): Promise<Memory> {
  await using one = server
  const started = one.residentMebibytes()
  await Bun.sleep(IDLE_MS)
  const idle = one.residentMebibytes()
  writeRequests(path, await requests())
  const file = { path, isRepeated: true }
  await load(one.url, file, { seconds: SECONDS_MAX, amount: REQUESTS })
  const loaded = one.residentMebibytes()
  await Bun.sleep(IDLE_MS)
  return { started, idle, loaded, rested: one.residentMebibytes() }
}

function rowOf(name: string, { started, idle, loaded, rested }: Memory, bareIdle: number) {
  return [
    name,
    started.toFixed(0),
    idle.toFixed(0),
    (idle / bareIdle).toFixed(1),
    loaded.toFixed(0),
    (loaded / idle).toFixed(1),
    rested.toFixed(0),
  ]
}
