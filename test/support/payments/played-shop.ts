import { join } from 'node:path'
import { DAY_MS } from '../../../domain/duration.ts'
import type { PremiumGrant } from '../../../domain/premium-grant.ts'
import { newVerification } from '../../../domain/verification.ts'
import { fixedClock, saveVerification } from '../fakes.ts'
import { EMAIL } from '../http/http-client.ts'
import { sqlitePlace } from '../service/places.ts'
import { openService } from '../service/real-service.ts'
import { WEBHOOK_SECRET } from '../stripe/payment-gateways.ts'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import { startStripeDouble } from '../stripe-double/stripe-double.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { OperatorWord } from './premium-model.ts'

const YEAR_MS = 365 * DAY_MS

export type PlayedShop = Awaited<ReturnType<typeof openPlayedShop>>

/**
 * The service with one buyer, whose address stays verified, on a Stripe where everything is played, and whose
 * clock is ahead of ours by `skewMs`. It has reconciled once, as it does when it starts.
 */
export async function openPlayedShop(
  { skewMs, areEventsLost }: { skewMs: number; areEventsLost: boolean },
  place = sqlitePlace(':memory:'),
) {
  const clock = fixedClock()
  const stripeClock = { now: () => new Date(clock.now().getTime() + skewMs) }
  const stripe = await startStripeDouble({ webhookSecret: WEBHOOK_SECRET, clock: stripeClock })
  let service = openService({ stripe, clock, place })
  const { ports } = service
  await saveVerification(ports, newVerification(EMAIL, { lifetimeMs: YEAR_MS, now: clock.now() }))
  await service.reconcile('all')

  /** Events that no webhook will ever see. */
  const lost = new Set<StripeEvent>()
  let word: OperatorWord = { isGiven: false, revoked: new Set() }
  let wasEverGiven = false
  let wasRestored = false
  return {
    clock,
    stripeClock,
    stripe,
    get service() {
      return service
    },
    lost,
    areEventsLost,
    /** Debits of which the money did not come. */
    bounced: new Set<string>(),
    word: () => word,
    learnWord(next: OperatorWord) {
      word = next
      wasEverGiven ||= next.isGiven
    },
    wasEverGiven: () => wasEverGiven,
    wasRestored: () => wasRestored,
    /**
     * Copies the database, which is SQLite's. What it returns puts the copy in its place, and with it the operator's
     * word of that time.
     */
    backUp(): () => void {
      const path = join(temporaryFolder(), 'alibi.db')
      service.connection!.query('VACUUM INTO ?').run(path)
      const wordThen = word
      return () => {
        service.close()
        service = openService({ stripe, clock, path })
        word = wordThen
        wasRestored = true
      }
    },
    waiting: () => stripe.held().filter((event) => !lost.has(event)),
    account: () => service.ports.purchases.findAccount(EMAIL),
    hasPremium: () => service.hasPremium(EMAIL),
    async deliver(event: StripeEvent): Promise<void> {
      const { status } = await service.deliver(event)
      if (status !== 200) throw new Error(`${event.type} was answered with ${status}`)
      stripe.markDelivered(event)
    },
    async close(): Promise<void> {
      service.close()
      await stripe.stop()
    },
  }
}

/** What the operator's word looks like in the service. */
export function readWord(grants: readonly PremiumGrant[]): OperatorWord {
  const revoked = grants.filter(({ payment, revokedAt }) => payment !== null && revokedAt !== null)
  return {
    isGiven: grants.some(({ payment, revokedAt }) => payment === null && revokedAt === null),
    revoked: new Set(revoked.map(({ id }) => id)),
  }
}
