import type { LogOutRepository } from '../../application/store.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { logOutEpoch, logOuts } from './schema.ts'

export function sqliteLogOutRepository({ queries, write }: SqliteDatabase): LogOutRepository {
  const upsert = prepareUpsert(queries, logOuts)
  const { find: findEpoch, save: saveEpoch } = prepareEpoch(queries)

  return {
    update: async (email, change) =>
      write(() => {
        const epoch = change(findEpoch())
        saveEpoch(epoch)
        upsert({ email, epoch })
      }),
  }
}

/** The epoch of the database. */
export function prepareEpoch(queries: Queries): {
  readonly find: () => Epoch
  readonly save: (epoch: Epoch) => void
} {
  const select = queries.select({ epoch: logOutEpoch.epoch }).from(logOutEpoch).prepare()
  const upsert = prepareUpsert(queries, logOutEpoch)
  return {
    find: () => select.get()?.epoch ?? FIRST_EPOCH,
    save: (epoch) => upsert({ id: 1, epoch }),
  }
}
