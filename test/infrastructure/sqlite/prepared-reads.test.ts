import { expect, test } from 'bun:test'
import { and, eq, sql } from 'drizzle-orm'
import { prepareSelect } from '../../../infrastructure/sqlite/prepared-reads.ts'
import { logOuts } from '../../../infrastructure/sqlite/schema.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'

test('a condition is bound in the order of its placeholders, and may have no value of its own', () => {
  const { queries } = openTemporaryDatabase(':memory:')
  queries.$client.run("INSERT INTO log_outs VALUES ('ada@example.com', 7)")
  const isEmail = eq(logOuts.email, sql.placeholder('email'))
  const isEpoch = eq(logOuts.epoch, sql.placeholder('epoch'))
  const select = prepareSelect(queries, logOuts, and(isEmail, isEpoch))
  expect(select('ada@example.com', 7)).toHaveLength(1)
  expect(select('ada@example.com', 8)).toEqual([])
  expect(() => prepareSelect(queries, logOuts, and(isEmail, sql`${logOuts.epoch} = ${7}`))).toThrow(
    'a value that is not bound',
  )
})
