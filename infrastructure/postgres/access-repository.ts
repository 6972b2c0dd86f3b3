import type { AccessFacts, AccessRepository } from '../../application/access-repository.ts'
import type { PostgresDatabase } from './connection/database.ts'
import {
  type AccessRow,
  type Asked,
  bindAccess,
  SELECT_ACCESS,
  toAccessFacts,
} from './find-access.ts'

// Why: docs/decisions.md#on-postgresql-facts-are-read-each-time
/** Reads the facts at each call. */
export function postgresAccessRepository({ query }: PostgresDatabase): AccessRepository {
  async function find(asked: readonly Asked[]): Promise<readonly AccessFacts[]> {
    return (await query<AccessRow>(SELECT_ACCESS, bindAccess(asked))).map(toAccessFacts)
  }

  return {
    async findByEmail(email, digests) {
      const [facts] = await find([{ email, digests: digests() }])
      if (!facts) throw new Error('the facts of an address were asked for, and none came')
      return facts
    },
  }
}
