import { expect, onTestFinished, test } from 'bun:test'
import { chmodSync, cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { outlast } from '../../support/outages/outlast.ts'
import { sendTo, servedAt } from '../../support/outages/served.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { type OwnCluster, ownCluster } from '../../support/postgres/own-cluster.ts'
import { dataOf } from '../../support/postgres/postmaster.ts'
import { query } from '../../support/postgres/query.ts'
import { superuserUrl } from '../../support/postgres/server.ts'
import { giveAway, openUnprivilegedFolder } from '../../support/postgres/unprivileged-account.ts'
import { mountSmallDisk, type SmallDisk } from '../../support/stress/full-disk.ts'

const MEBIBYTES = 128

/** A small disk that belongs to who runs PostgreSQL, until the test ends. Null where none can be mounted. */
function mountDisk(): (SmallDisk & { readonly path: string }) | null {
  const folder = openUnprivilegedFolder()
  const disk = mountSmallDisk(folder.path, MEBIBYTES)
  onTestFinished(() => {
    disk?.[Symbol.dispose]()
    folder[Symbol.dispose]()
  })
  if (disk === null) {
    console.log('not tested here: a PostgreSQL on a full disk (needs root, and mount)')
    return null
  }
  giveAway(folder.path)
  chmodSync(folder.path, 0o700)
  return { ...disk, path: folder.path }
}

/** Lets the disk fill up under the load, by `fill`, and makes room again. */
async function expectOutlasted(
  cluster: OwnCluster,
  { hits, fill, free }: { hits?: readonly string[]; fill(): unknown; free(): void },
): Promise<void> {
  const served = await servedAt(cluster.url)
  const customers = sendTo(served, () => cluster.superuserUrl)
  await outlast(served.load, {
    name: 'no room left',
    ...(hits ? { hits, sparesOthers: false } : {}),
    async begin() {
      await fill()
      return async () => {
        free()
        await cluster.restart()
      }
    },
  })
  await customers.expectAll()
  expect(await served.alibi.stop()).toBe(0)
}

if (hasPostgres()) {
  test('a PostgreSQL whose tables have no room left is waited for', async () => {
    const cluster = await ownCluster()
    const disk = mountDisk()
    if (disk === null) return
    const administration = superuserUrl(cluster, 'postgres')
    await query(administration, `CREATE TABLESPACE small LOCATION '${disk.path}'`)
    await query(administration, 'ALTER DATABASE alibi SET TABLESPACE small')
    // What has room in its page is still written.
    await expectOutlasted(cluster, { hits: ['verify-email'], fill: disk.fill, free: disk.free })
  })

  test('a PostgreSQL that ends since its log has no room left is waited for', async () => {
    const cluster = await ownCluster()
    const disk = mountDisk()
    if (disk === null) return
    await cluster.stop()
    const [log, moved] = [join(dataOf(cluster.folder), 'pg_wal'), join(disk.path, 'pg_wal')]
    cpSync(log, moved, { recursive: true })
    Bun.spawnSync(['chown', '-R', '--reference', dataOf(cluster.folder), moved])
    rmSync(log, { recursive: true })
    symlinkSync(moved, log)
    await cluster.start()
    const administration = superuserUrl(cluster, 'postgres')
    await expectOutlasted(cluster, {
      async fill() {
        disk.fill()
        // Segments that it has in store come first.
        for (let isUp = true; isUp; ) {
          isUp = await query(administration, 'SELECT pg_switch_wal()').then(
            () => true,
            () => false,
          )
        }
      },
      free: disk.free,
    })
  })
}
