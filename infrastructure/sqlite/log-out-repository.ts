import { eq, sql } from 'drizzle-orm'
import type { LogOutRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { logOuts } from './schema.ts'

export function sqliteLogOutRepository({ queries, read, write }: SqliteDatabase): LogOutRepository {
  const upsert = prepareUpsert(queries, logOuts)
  const select = queries
    .select()
    .from(logOuts)
    .where(eq(logOuts.email, sql.placeholder('email')))
    .prepare()
  const findLine = (email: Email) => select.get({ email })?.lineAt ?? null

  return {
    findByEmail: async (email) => read(() => findLine(email)),
    update: async (email, change) =>
      write(() => upsert({ email, lineAt: change(findLine(email)) })),
  }
}
