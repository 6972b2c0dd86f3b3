import { and, desc, eq, gt, isNull, lte, not, type SQL } from 'drizzle-orm'
import type { ServiceMailWindow } from '../../application/otp-repository.ts'
import type { FullShares, ServiceMail } from '../../domain/mail-limit.ts'
import type { Queries, Transaction } from './connection/database.ts'
import { serviceMails } from './schema.ts'

const { id, sentAt, isCustomer, network } = serviceMails

/**
 * The moment of the nth newest mail of each share, where there are so many. Deletes mails that say they were sent after
 * the window, because the clock was ahead then. The transaction has the lock of the service's mails.
 */
export async function findFullShares(
  { queries, store }: Transaction,
  { since, until, network: ofNetwork, shares }: ServiceMailWindow,
): Promise<FullShares> {
  store(queries.delete(serviceMails).where(gt(sentAt, until)))
  const inWindow = and(gt(sentAt, since), lte(sentAt, until))
  const toStrangers = and(inWindow, not(isCustomer))
  const [all, strangers, one] = await Promise.all([
    nthNewest(queries, shares.all, inWindow),
    nthNewest(queries, shares.strangers, toStrangers),
    ofNetwork === null
      ? null
      : nthNewest(queries, shares.network, and(toStrangers, eq(network, ofNetwork))),
  ])
  return { all, strangers, network: one }
}

async function nthNewest(
  queries: Queries,
  nth: number,
  condition: SQL | undefined,
): Promise<Date | null> {
  const [row] = await queries
    .select({ sentAt })
    .from(serviceMails)
    .where(condition)
    .orderBy(desc(sentAt))
    .limit(1)
    .offset(nth - 1)
  return row?.sentAt ?? null
}

export function storeServiceMail({ queries, store }: Transaction, mail: ServiceMail): void {
  const { at, ...counted } = mail
  store(queries.insert(serviceMails).values({ sentAt: at, ...counted }))
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
