import type { LogOutRepository } from '../../application/store.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { EPOCH, ofAddress } from './connection/locks.ts'
import { upsert } from './prepared.ts'
import { logOutEpoch, logOuts } from './schema.ts'

export function postgresLogOutRepository({ write }: PostgresDatabase): LogOutRepository {
  return {
    update: (email, change) =>
      write([ofAddress(email), EPOCH], async (transaction) => {
        const { queries, store } = transaction
        const epoch = change(await findEpoch(queries))
        storeEpoch(transaction, epoch)
        store(upsert(queries, logOuts, [logOuts.email], { email, epoch }))
      }),
  }
}

/** The epoch of the database. */
export async function findEpoch(queries: Queries): Promise<Epoch> {
  const [row] = await queries.select({ epoch: logOutEpoch.epoch }).from(logOutEpoch)
  return row?.epoch ?? FIRST_EPOCH
}

/** For a transaction that has the lock of the epoch. */
export function storeEpoch({ queries, store }: Transaction, epoch: Epoch): void {
  store(upsert(queries, logOutEpoch, [logOutEpoch.id], { id: 1, epoch }))
}
