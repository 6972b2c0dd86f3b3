import type { Email } from '../domain/email.ts'
import type { Cause } from '../domain/grant-change.ts'
import type { Log, LogFields, Ports } from './ports.ts'
import type { Account } from './store.ts'

type Written = Pick<Ports, 'purchases' | 'refunds' | 'disputes' | 'sweeps' | 'log'>

/**
 * The same ports, except that nothing is stored: every change is worked out on what is stored now, and comes to
 * nothing. What it would have led to later in the same run does not show.
 */
export function dryRun<Given extends Written>(ports: Given): Given {
  const { purchases, refunds, disputes, sweeps, log } = ports
  return {
    ...ports,
    log: markedLog(log),
    purchases: {
      ...purchases,
      update: async <Result>(
        email: Email,
        _cause: Cause,
        change: (account: Account) => Result,
      ): Promise<Result> => change(await purchases.findAccount(email)),
    },
    refunds: { ...refunds, update: countNews(refunds.findById) },
    disputes: { ...disputes, update: countNews(disputes.findById) },
    sweeps: { ...sweeps, recordRun: async () => {} },
  }
}

function countNews<Fact>(findById: (id: string) => Promise<Fact | null>) {
  return async <Reported extends { readonly id: string }>(
    reported: readonly Reported[],
    _cause: Cause,
    change: (known: Fact | null, reported: Reported) => Fact,
  ): Promise<number> => {
    let news = 0
    for (const one of reported) {
      const known = await findById(one.id)
      if (change(known, one) !== known) news++
    }
    return news
  }
}

function markedLog({ info, warn, error }: Log): Log {
  const marked = (fields: LogFields = {}): LogFields => ({ ...fields, dryRun: true })
  return {
    info: (event, fields) => info(event, marked(fields)),
    warn: (event, fields) => warn(event, marked(fields)),
    error: (event, fields) => error(event, marked(fields)),
  }
}
