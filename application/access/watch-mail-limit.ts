import { isMailLimitNear, type MailLimitUse, mailLimitUse } from '../../domain/mail-limit.ts'
import type { Ports } from '../ports.ts'

type Dependencies = Pick<Ports, 'statistics' | 'clock' | 'rules'>

/**
 * Looks, at every call, how much of the service's limit of code mails is used up. Logs once when it becomes much, and
 * once when that is over. Throws `Unavailable('storage')`.
 */
export function watchMailLimit(ports: Dependencies & Pick<Ports, 'log'>): () => Promise<void> {
  let wasNear = false

  return async () => {
    const use = await readMailLimitUse(ports)
    const isNear = use !== null && isMailLimitNear(use)
    const percent = use && { ofAll: percentOf(use.all), ofStrangers: percentOf(use.strangers) }
    if (isNear && !wasNear) ports.log('codes.limit_near', { ...percent })
    else if (wasNear && !isNear) ports.log('codes.limit_far', { ...percent })
    wasNear = isNear
  }
}

function percentOf(share: number): number {
  return Math.floor(share * 100)
}

/** Null where nothing bounds the mails. Throws `Unavailable('storage')`. */
export async function readMailLimitUse({
  statistics,
  clock,
  rules: { mailLimit },
}: Dependencies): Promise<MailLimitUse | null> {
  if (!mailLimit) return null
  const until = clock.now()
  const since = new Date(until.getTime() - mailLimit.windowMs)
  return mailLimitUse(await statistics.countServiceMails({ since, until }), mailLimit)
}
