import { and, desc, eq, gt, isNull, lte, not, type SQL, sql } from 'drizzle-orm'
import type { ServiceMailWindow } from '../../application/otp-repository.ts'
import type { FullShares, ServiceMail } from '../../domain/mail-limit.ts'
import type { Queries, Transaction } from './connection/database.ts'
import { insert, prepared } from './prepared.ts'
import { serviceMails } from './schema.ts'

const { id, sentAt, isCustomer, network } = serviceMails

const UNTIL = sql.placeholder('until')
const IN_WINDOW = and(gt(sentAt, sql.placeholder('since')), lte(sentAt, UNTIL))
const TO_STRANGERS = and(IN_WINDOW, not(isCustomer))

const deleteLater = prepared((queries) => queries.delete(serviceMails).where(gt(sentAt, UNTIL)))
const selectNewest = prepared((queries) => newestOf(queries, IN_WINDOW))
const selectNewestToStrangers = prepared((queries) => newestOf(queries, TO_STRANGERS))
const selectNewestOfNetwork = prepared((queries) =>
  newestOf(queries, and(IN_WINDOW, eq(network, sql.placeholder('network')))),
)

function newestOf(queries: Queries, condition: SQL | undefined) {
  return queries
    .select({ sentAt })
    .from(serviceMails)
    .where(condition)
    .orderBy(desc(sentAt))
    .limit(1)
    .offset(sql.placeholder('newer'))
}

/**
 * The moment of the nth newest mail of each share, where there are so many. Deletes mails that say they were sent after
 * the window, because the clock was ahead then. The transaction has the lock of the service's mails.
 */
export async function findFullShares(
  { queries, store }: Transaction,
  { since, until, network: ofNetwork, shares }: ServiceMailWindow,
): Promise<FullShares> {
  store(deleteLater(queries).execute({ until }))
  const window = { since, until }
  const none: readonly { sentAt: Date }[] = []
  const [[all], [strangers], [one]] = await Promise.all([
    selectNewest(queries).execute({ ...window, newer: shares.all - 1 }),
    selectNewestToStrangers(queries).execute({ ...window, newer: shares.strangers - 1 }),
    ofNetwork === null
      ? none
      : selectNewestOfNetwork(queries).execute({
          ...window,
          network: ofNetwork,
          newer: shares.network - 1,
        }),
  ])
  return {
    all: all?.sentAt ?? null,
    strangers: strangers?.sentAt ?? null,
    network: one?.sentAt ?? null,
  }
}

export function storeServiceMail({ queries, store }: Transaction, mail: ServiceMail): void {
  const { at, ...counted } = mail
  store(insert(queries, serviceMails, { sentAt: at, ...counted }))
}

/** Deletes one of those that are alike: another one than a transaction that does the same at this moment. */
export function deleteServiceMail({ queries, store }: Transaction, mail: ServiceMail): void {
  const isAlike = and(
    eq(sentAt, mail.at),
    eq(isCustomer, mail.isCustomer),
    mail.network === null ? isNull(network) : eq(network, mail.network),
  )
  const one = queries
    .select({ id })
    .from(serviceMails)
    .where(isAlike)
    .limit(1)
    .for('update', { skipLocked: true })
  // Compared rather than looked up: so the server chooses once, whatever its plan.
  store(queries.delete(serviceMails).where(eq(id, one)))
}
