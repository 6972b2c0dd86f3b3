import type { Database } from 'bun:sqlite'
import type { ServiceMailWindow } from '../../application/otp-repository.ts'
import type { FullShares, ServiceMail } from '../../domain/mail-limit.ts'
import type { Queries } from './database.ts'
import { prepareInsert } from './prepared-writes.ts'
import { serviceMails } from './schema.ts'

const IN_WINDOW = 'sent_at > ?1 AND sent_at <= ?2'

/** The moment of the nth newest mail of each share, where there are so many. */
export function prepareFindFullShares(client: Database): (window: ServiceMailWindow) => FullShares {
  const nthNewest = (where: string) =>
    client.prepare<{ at: number }, (number | string | null)[]>(
      `SELECT sent_at AS at FROM service_mails WHERE ${where} ORDER BY sent_at DESC LIMIT 1 OFFSET ?3`,
    )
  // No more than there are can be in the window, and their ids differ. That saves walking past so many of them.
  const span = client.prepare<{ most: number | null }, []>(
    `SELECT (SELECT max(id) FROM service_mails) - (SELECT min(id) FROM service_mails) + 1 AS most`,
  )
  const ofAll = nthNewest(IN_WINDOW)
  const ofStrangers = nthNewest(`had_premium = 0 AND ${IN_WINDOW}`)
  const ofNetwork = nthNewest(`had_premium = 0 AND ${IN_WINDOW} AND network = ?4`)

  return ({ since, until, network, shares }) => {
    const window = [since.getTime(), until.getTime()] as const
    const most = span.get()?.most ?? 0
    const nth = (statement: typeof ofAll, share: number, ...own: (string | null)[]) => {
      const row = share > most ? null : statement.get(...window, share - 1, ...own)
      return row && new Date(row.at)
    }
    return {
      all: nth(ofAll, shares.all),
      strangers: nth(ofStrangers, shares.strangers),
      network: nth(ofNetwork, shares.network, network),
    }
  }
}

export function prepareInsertServiceMail(queries: Queries): (mail: ServiceMail) => void {
  const insert = prepareInsert(queries, serviceMails)
  return ({ at, isCustomer, network }) => insert({ sentAt: at, isCustomer, network })
}

/** Deletes one of those that are alike. */
export function prepareDeleteServiceMail(client: Database): (mail: ServiceMail) => void {
  const deletion = client.prepare(
    `DELETE FROM service_mails WHERE id IN (
      SELECT id FROM service_mails WHERE sent_at = ?1 AND had_premium = ?2 AND network IS ?3 LIMIT 1
    )`,
  )
  return ({ at, isCustomer, network }) =>
    void deletion.run(at.getTime(), isCustomer ? 1 : 0, network)
}

/** Deletes those that say they were sent after the window: the clock was ahead then. */
export function prepareDeleteFutureServiceMails(
  client: Database,
): (window: Pick<ServiceMailWindow, 'until'>) => void {
  const deletion = client.prepare('DELETE FROM service_mails WHERE sent_at > ?1')
  return ({ until }) => void deletion.run(until.getTime())
}
