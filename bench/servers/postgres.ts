import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnCluster, openOwnCluster } from '../../test/support/postgres/own-cluster.ts'
import { dataOf } from '../../test/support/postgres/postmaster.ts'
import { query } from '../../test/support/postgres/query.ts'
import { roleUrl, superuserUrl } from '../../test/support/postgres/server.ts'
import { childrenOf } from '../../test/support/processes.ts'
import { processorSeconds, processorSecondsOfEnded } from '../machine.ts'
import type { BenchDatabase } from '../seed/bench-database.ts'
import { fillPostgres, postgresDatabase } from '../seed/postgres-database.ts'

/** Enough for a database of a million addresses to be in memory, and for none of its checkpoints to come in a round. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '30min',
}

/** A PostgreSQL of the benchmark alone, whose commits reach the disk. It has the core of the load. */
export type MeasuredPostgres = AsyncDisposable & {
  /** The time that all its processes have had on processors so far, in seconds. */
  processorSeconds(): number
  /** A new database in which so many have paid. */
  makeDatabase(executable: string, addresses: number): Promise<BenchDatabase>
}

export async function startPostgres(): Promise<MeasuredPostgres> {
  const cluster = await openOwnCluster({ settings: SETTINGS })
  const pidFile = join(dataOf(cluster.folder), 'postmaster.pid')
  const postmaster = Number(readFileSync(pidFile, 'latin1').split('\n')[0])
  return {
    processorSeconds: () =>
      [postmaster, ...childrenOf(postmaster)].reduce(
        (sum, pid) => sum + processorSeconds(pid),
        processorSecondsOfEnded(postmaster),
      ),
    makeDatabase: (executable, addresses) => makeDatabase(cluster, executable, addresses),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

async function makeDatabase(
  cluster: OwnCluster,
  executable: string,
  addresses: number,
): Promise<BenchDatabase> {
  const name = `of_${addresses}`
  await query(cluster.superuserUrl, `CREATE DATABASE ${name} OWNER alibi`)
  const url = `${roleUrl(cluster, name)}?sslmode=disable`
  const { exitCode, stderr } = Bun.spawnSync([executable, 'migrate'], {
    env: { DATABASE_URL: url },
  })
  if (exitCode !== 0) throw new Error(`no database: ${stderr}`)
  const administration = superuserUrl(cluster, name)
  await fillPostgres(administration, addresses)
  return postgresDatabase(url, administration)
}
