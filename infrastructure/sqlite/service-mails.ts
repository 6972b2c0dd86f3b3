import type { Database } from 'bun:sqlite'
import type { ServiceMailWindow } from '../../application/otp-repository.ts'
import type { FullShares, ServiceMail } from '../../domain/mail-limit.ts'
import { type MailCount, mailCount } from './mail-count.ts'

const IN_WINDOW = 'sent_at > ?1 AND sent_at <= ?2'
const TO_STRANGERS = `had_premium = 0 AND ${IN_WINDOW}`
const OF_NETWORK = `${IN_WINDOW} AND network = ?3`

export type ServiceMailShares = {
  /**
   * For use inside a write: the moment of the nth newest mail of each share, where there are so many. Deletes mails
   * that say they were sent after the window, because the clock was ahead then.
   */
  findFull(window: ServiceMailWindow): FullShares
  /** Has all mails counted anew, for after a write that failed: mails that it had deleted are there again. */
  forgetCounts(): void
}

export function prepareServiceMailShares(client: Database): ServiceMailShares {
  const deleteFuture = client.prepare('DELETE FROM service_mails WHERE sent_at > ?1')
  const selectLastId = client.prepare<{ id: number | null }, []>(
    'SELECT max(id) AS id FROM service_mails',
  )
  const ofAll = prepareShare(client, IN_WINDOW)
  const ofStrangers = prepareShare(client, TO_STRANGERS)
  const ofNetwork = prepareShare(client, OF_NETWORK)
  const counts = { all: mailCount(), strangers: mailCount() }

  function forgetCounts(): void {
    counts.all.forget()
    counts.strangers.forget()
  }

  return {
    findFull({ since, until, network, shares }) {
      const isDeleting = deleteFuture.run(until.getTime()).changes > 0
      const lastId = selectLastId.get()?.id ?? 0
      const window = [since.getTime(), until.getTime()] as const
      const fullSince = (share: Share, most: number, known: MailCount): Date | null => {
        if (known.isBelow(most, { since, lastId })) return null
        const mails = share.count(...window)
        known.remember({ since, lastId, mails })
        return mails < most ? null : share.nthNewest(most, ...window)
      }
      const full = {
        all: fullSince(ofAll, shares.all, counts.all),
        strangers: fullSince(ofStrangers, shares.strangers, counts.strangers),
        network:
          ofNetwork.count(...window, network) < shares.network
            ? null
            : ofNetwork.nthNewest(shares.network, ...window, network),
      }
      if (isDeleting) forgetCounts()
      return full
    },
    forgetCounts,
  }
}

type Share = ReturnType<typeof prepareShare>

/**
 * Counts by itself, because SQLite compiles a statement that sorts what equals a bound value anew at every run, which
 * takes longer than to count.
 */
function prepareShare(client: Database, where: string) {
  type Bound = (number | string | null)[]
  const count = client.prepare<{ mails: number }, Bound>(
    `SELECT count(*) AS mails FROM service_mails WHERE ${where}`,
  )
  const select = client.prepare<{ at: number }, Bound>(
    `SELECT sent_at AS at FROM service_mails WHERE ${where} ORDER BY sent_at DESC LIMIT 1 OFFSET ?`,
  )
  return {
    count: (...bound: Bound): number => count.get(...bound)?.mails ?? 0,
    nthNewest(nth: number, ...bound: Bound): Date | null {
      const row = select.get(...bound, nth - 1)
      return row && new Date(row.at)
    },
  }
}

export function prepareInsertServiceMail(client: Database): (mail: ServiceMail) => void {
  const insert = client.prepare(
    'INSERT INTO service_mails (sent_at, had_premium, network) VALUES (?1, ?2, ?3)',
  )
  return ({ at, isCustomer, network }) => void insert.run(at.getTime(), isCustomer ? 1 : 0, network)
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
