import type { LogOutRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { logOutEpoch, logOuts } from './schema.ts'

const OWN_AND_COMMON = `SELECT epoch FROM log_outs WHERE email = ?1
  UNION ALL SELECT epoch FROM common_log_out`

type EpochRow = { readonly epoch: Epoch }

export function sqliteLogOutRepository({ queries, read, write }: SqliteDatabase): LogOutRepository {
  const upsert = prepareUpsert(queries, logOuts)
  const findByEmail = prepareFindByEmail(queries)
  const { find: findEpoch, save: saveEpoch } = prepareEpoch(queries)

  return {
    findEpoch: async () => read(findEpoch),
    findByEmail: async (email, digests = []) => read(() => findByEmail(email, digests)),
    update: async (email, change) =>
      write(() => {
        const epoch = change(findEpoch())
        saveEpoch(epoch)
        upsert({ email, epoch })
      }),
  }
}

/** On the path of every request with a token: a list in JSON, or a maximum in SQL, takes several times as long. */
function prepareFindByEmail(
  queries: Queries,
): (email: Email, digests: readonly ErasedEmailDigest[]) => Epoch | null {
  const prepareFor = (digests: number) =>
    queries.$client.prepare<EpochRow, [Email, ...ErasedEmailDigest[]]>(
      `${OWN_AND_COMMON} UNION ALL SELECT epoch FROM erased_log_outs
        WHERE trace IN (${Array.from({ length: digests }, () => '?').join(', ')})`,
    )
  // One digest for each key that counts.
  const statements = new Map([0, 1, 2].map((digests) => [digests, prepareFor(digests)]))
  return (email, digests) =>
    latest((statements.get(digests.length) ?? prepareFor(digests.length)).all(email, ...digests))
}

function latest(rows: readonly EpochRow[]): Epoch | null {
  return rows.reduce<Epoch | null>(
    (last, { epoch }) => (last !== null && last > epoch ? last : epoch),
    null,
  )
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
