import {
  isMailLimitNear,
  type MailLimit,
  type MailLimitUse,
  mailLimitUse,
} from '../../domain/mail-limit.ts'
import type { Ports } from '../ports.ts'
import { NETWORKS_NAMED } from './watch-wrong-codes.ts'

type Dependencies = Pick<Ports, 'statistics' | 'clock' | 'rules'>

/**
 * Looks, at every call, how much of the service's limit of code mails is used up. Logs once when it becomes much, with
 * the networks that asked for most, and once when that is over. Throws `Unavailable('storage')`.
 */
export function watchMailLimit(ports: Dependencies & Pick<Ports, 'log'>): () => Promise<void> {
  let wasNear = false

  return async () => {
    const use = await readMailLimitUse(ports)
    const isNear = use !== null && isMailLimitNear(use)
    const percent = use && { ofAll: percentOf(use.all), ofStrangers: percentOf(use.strangers) }
    if (isNear && !wasNear) {
      ports.log('codes.limit_near', { ...percent, worstNetworks: await rankNetworks(ports) })
    } else if (wasNear && !isNear) ports.log('codes.limit_far', { ...percent })
    wasNear = isNear
  }
}

/** Holders of a token are in none, and no address of a person is among it. */
async function rankNetworks({ statistics, clock, rules: { mailLimit } }: Dependencies) {
  if (!mailLimit) return null
  const window = windowOf(clock, mailLimit)
  const ranked = await statistics.rankServiceMails({ ...window, top: NETWORKS_NAMED })
  return ranked.map(({ network, mails }) => `${network} (${mails})`).join(', ')
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
  return mailLimitUse(await statistics.countServiceMails(windowOf(clock, mailLimit)), mailLimit)
}

function windowOf(clock: Ports['clock'], { windowMs }: MailLimit) {
  const until = clock.now()
  return { since: new Date(until.getTime() - windowMs), until }
}
