import { startCheckout } from '../../application/payments/start-checkout.ts'
import type { PaymentEvent } from '../../application/ports.ts'
import { HOUR_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { SessionOutcome } from '../../domain/session-report.ts'
import { newVerification } from '../../domain/verification.ts'
import { fakePorts, saveVerification } from './fakes.ts'
import { ANNA } from './stores/contract-purchases.ts'

export type FakePorts = ReturnType<typeof fakePorts>

/** A buyer with a payment page open at the scripted provider. */
export async function openBuyer({
  ports = fakePorts(),
  email = ANNA,
}: {
  ports?: FakePorts
  email?: Email
} = {}) {
  const now = ports.clock.now()
  await saveVerification(ports, newVerification(email, { lifetimeMs: HOUR_MS, now }))
  const { sessionId } = await startCheckout(ports, { email, language: 'en' })
  const purchase = (await ports.purchases.findBySessionId(sessionId))!
  return {
    ports,
    email,
    sessionId,
    purchaseId: purchase.id,
    paymentIntentId: `pi_${purchase.id}`,
    move: (outcome: SessionOutcome) => ports.payments.move(sessionId, outcome),
    current: async () => (await ports.purchases.findById(purchase.id))!,
    /** What the provider would have delivered about the session at this moment. */
    notification: (): PaymentEvent => ({
      kind: 'session',
      eventId: `evt_${sessionId}`,
      eventType: 'checkout.session.completed',
      occurredAt: ports.clock.now(),
      report: ports.payments.sessions.get(sessionId)!,
    }),
  }
}
