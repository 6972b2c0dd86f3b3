import type { Email } from '../../../domain/email.ts'
import { EMAIL } from '../http/http-client.ts'
import { adaptedStripeEvent, type StripeEvent, type StripeObject } from '../stripe/stripe-events.ts'
import { stripeSetup } from '../stripe/stripe-setup.ts'
import type { OpenPlace } from './places.ts'
import { serviceSetup } from './real-service.ts'

/**
 * Gives tests buyers, each with a verified address and the payment page of a Stripe double open, of services that are
 * by default on a file.
 */
export function buyerSetup(openPlace?: OpenPlace) {
  const startStripe = stripeSetup()
  const openService = serviceSetup(openPlace)

  return async function openBuyer({
    email = EMAIL,
    allowPromotionCodes = false,
    amountMin = 0,
  }: {
    email?: Email
    allowPromotionCodes?: boolean
    amountMin?: number
  } = {}) {
    const { double, clock } = await startStripe()
    const service = await openService({ stripe: double, clock, allowPromotionCodes, amountMin })
    const second = service.openProcess()
    await service.verify(email)
    const { body } = await service.post('/checkout', { email })
    const { sessionId } = body as { sessionId: string }
    const purchaseId = String(double.sessions.get(sessionId)?.client_reference_id)

    const paymentIntentId = () => {
      const intent = double.sessions.get(sessionId)?.payment_intent
      return typeof intent === 'string' ? intent : 'pi_nobody_has_paid'
    }
    return {
      double,
      service,
      /** Two processes in front of one database, taken in turn. */
      inTurn: (index: number) => [service, second][index % 2]!,
      sessionId,
      purchaseId,
      /** One of Stripe's own payloads, about this buyer's session and payment. */
      eventOf: (name: string, fields: StripeObject = {}, envelope: Partial<StripeEvent> = {}) =>
        adaptedStripeEvent(name, {
          sessionId,
          purchaseId,
          paymentIntentId: paymentIntentId(),
          email,
          fields,
          envelope,
        }),
      account: () => service.ports.purchases.findAccount(email),
      hasPremium: () => service.hasPremium(email),
      /** The lines that call an operator. */
      alarms: () => service.ports.log.lines.filter(({ level }) => level === 'error'),
    }
  }
}
